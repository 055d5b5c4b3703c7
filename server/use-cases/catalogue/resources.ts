/** Icons and change logs of apps, shown to whoever knows the name, which nobody can guess. */
import { resourceNamed } from '#server/db/catalogue/web-resources.ts'
import { inTransaction } from '#server/db/transaction.ts'
import { changeLogPolicy } from '#server/drivers/packages/change-log-style.ts'
import type { AppContext } from '#server/context/context.ts'
import { notFound } from '#server/problems/problem-error.ts'

const year = 31_536_000

/** Bytes and headers: what it is follows from its name alone, whatever was asked for (U-15). Throws NOT_FOUND. */
export async function resource(
  app: AppContext,
  id: string,
): Promise<{ body: Uint8Array; headers: Record<string, string> }> {
  const found = await inTransaction(app, { role: 'portal_system' }, (db) => resourceNamed(db, id), 'reading')
  if (!found) throw notFound()
  const isPage = found.kind === 'changelog'
  return {
    body: found.bytes,
    headers: {
      'content-type': found.type,
      'cache-control': `public, max-age=${year}, immutable`,
      'content-disposition': 'inline',
      'content-security-policy': isPage
        ? changeLogPolicy
        : "default-src 'none'; base-uri 'none'; sandbox; frame-ancestors 'none'",
      // A change log is shown in a frame of the portal's own pages.
      ...(isPage ? { 'x-frame-options': 'SAMEORIGIN' } : {}),
    },
  }
}
