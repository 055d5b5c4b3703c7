/** Pictures of users: put in by their owner, shown to whoever knows the name, which nobody can guess. */
import { randomBytes } from 'node:crypto'
import type { uploadAsset } from '#contract/accounts.ts'
import { assetByName, countAssetsOf, insertAsset, type NewAsset } from '#server/db/assets.ts'
import { inScope } from '#server/db/scope.ts'
import type { House, Service } from '#server/house.ts'
import { notFound, ProblemError } from '#server/problem.ts'
import type { Picture } from '#server/services/pictures.ts'

const dayMs = 86_400_000
/** Nobody tries on more pictures than this in a day. */
const mostADay = 100

/** The input is the picture already: `prepared` by the route, before the transaction. */
export const upload: Service<typeof uploadAsset> = async ({ db, caller, now, note, left }, { body }) => {
  if ((await countAssetsOf(db, caller.userId, now - dayMs)) >= mostADay)
    throw new ProblemError('RATE_LIMITED', null, 3600)
  const picture = body.avatar as Picture
  const name = randomBytes(24).toString('base64url')
  const { companyId, userId } = caller
  const id = await insertAsset(db, { ...picture, name, company_id: companyId, user_id: userId, create_time: now })
  left('asset', id, 1)
  await note({ code: 'user', operation: 'create', info: { File: 'avatar' } })
  return { body: { id: name } }
}

/** Throws NOT_FOUND. */
export async function assetNamed(house: House, name: string): Promise<Pick<NewAsset, 'type' | 'bytes'>> {
  const found = await inScope(house, { role: 'portal_system' }, (db) => assetByName(db, name), 'reading')
  if (!found) throw notFound()
  return found
}
