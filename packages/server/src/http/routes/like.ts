/** `/api/counter`: likes of a resource. */
import type { App, Call, GuardDenial, LikeReply } from '../../app/index.ts';
import { denialAnswer } from '../decision.ts';
import { okEnvelope, statusOfOutcome, type HttpRequest, type Route } from '../route.ts';

/** The use case asks for the peer only where it matters. */
const callOf = ({ socket, headers }: HttpRequest): Call => ({
  peer: () => ({ address: socket.remoteAddress, forwardedFor: headers['x-forwarded-for'] as string | undefined }),
});

const change = (name: 'like' | 'unlike', make: (app: App, request: HttpRequest) => Promise<LikeReply | GuardDenial>): Route => ({
  method: 'POST',
  url: `/api/counter/${name}`,
  answer: async (app, request) => {
    const reply = await make(app, request);
    if ('denied' in reply) return denialAnswer(reply.decision, reply.rules, reply.denied);
    return okEnvelope(reply, statusOfOutcome(reply.outcome));
  },
});

/** Routes over the like use cases. */
export const likeRoutes: readonly Route[] = [
  change('like', (app, request) => app.like(request.body, callOf(request))),
  change('unlike', (app, request) => app.unlike(request.body, callOf(request))),
  {
    method: 'GET',
    url: '/api/counter/count/:resourceId',
    answer: async (app, { params }) => okEnvelope(await app.countLikes(params['resourceId'] as string)),
  },
  {
    method: 'POST',
    url: '/api/counter/batch-count',
    role: 'read',
    answer: async (app, { body }) => okEnvelope(await app.countLikesOfMany(body)),
  },
];
