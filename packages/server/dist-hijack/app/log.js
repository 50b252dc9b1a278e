export {};
//# sourceMappingURL=log.js.map