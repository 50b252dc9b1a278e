/** What was accepted but not applied yet is a 202. */
export const statusOfOutcome = (outcome) => (outcome === 'accepted' ? 202 : 200);
/** `{code: 0, msg: "OK", data}`. */
export const okEnvelope = (data, status = 200) => ({
    status,
    body: `{"code":0,"msg":"OK","data":${JSON.stringify(data)}}`,
});
/** `value` as JSON. */
export const json = (value, status = 200) => ({ status, body: JSON.stringify(value) });
//# sourceMappingURL=route.js.map