/** What F6 and F7 ask about: likes of a hundred resources. */
import type { HttpLoad } from '../lib/http-load.ts';
import type { Server } from '../lib/server.ts';

const RESOURCES = Array.from({ length: 100 }, (_, i) => `article-${1000 + i}`);

export const COUNTS: HttpLoad['requests'] = RESOURCES.map((id) => ({ method: 'GET', path: `/api/counter/count/${id}` }));

export const LIKES: HttpLoad['requests'] = RESOURCES.map((resourceId, i) => ({
  method: 'POST',
  path: '/api/counter/like',
  body: JSON.stringify({ userId: `user-${i}`, resourceId }),
}));

/** Throws unless our server has counted `likes` of them. */
export async function balanceLikes({ http }: Server, likes: number): Promise<void> {
  let counted = 0;
  for (const { path } of COUNTS) {
    const response = await fetch(`http://${http}${path}`);
    counted += ((await response.json()) as { data: { count: number } }).data.count;
  }
  if (counted !== likes) throw new Error(`the account does not balance: ${counted} counted, ${likes} liked`);
}
