/** `/api/counter`: likes of a resource. */
import { okEnvelope, statusOfOutcome } from "../route.js";
/** Routes over the like use cases. */
export const likeRoutes = [
    {
        method: 'POST',
        url: '/api/counter/like',
        answer: async (app, { body }) => {
            const reply = await app.like(body);
            return okEnvelope(reply, statusOfOutcome(reply.outcome));
        },
    },
    {
        method: 'POST',
        url: '/api/counter/unlike',
        answer: async (app, { body }) => {
            const reply = await app.unlike(body);
            return okEnvelope(reply, statusOfOutcome(reply.outcome));
        },
    },
    {
        method: 'GET',
        url: '/api/counter/count/:resourceId',
        answer: async (app, { params }) => okEnvelope(await app.countLikes(params['resourceId'])),
    },
    {
        method: 'POST',
        url: '/api/counter/batch-count',
        answer: async (app, { body }) => okEnvelope(await app.countLikesOfMany(body)),
    },
];
//# sourceMappingURL=like.js.map