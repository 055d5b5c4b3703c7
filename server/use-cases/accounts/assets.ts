/** Pictures of users: put in by their owner, shown to whoever knows the name, which nobody can guess. */
import { randomBytes } from 'node:crypto'
import type { uploadAsset } from '#contract/accounts.ts'
import { assetByName, countAssetsOf, insertAsset, type NewAsset, pictureBytesOf } from '#server/db/accounts/assets.ts'
import { inTransaction } from '#server/db/transaction.ts'
import type { AppContext, UseCase } from '#server/context/context.ts'
import { notFound, ProblemError } from '#server/problems/problem-error.ts'
import type { Picture } from '#server/use-cases/accounts/avatar-image.ts'
import { userById } from '#server/db/accounts/users.ts'

const dayMs = 86_400_000
/** Nobody tries on more pictures than this in a day. */
const maxPerDay = 100

/** The input is the picture already: `prepared` by the route, before the transaction. */
export const upload: UseCase<typeof uploadAsset> = async (
  { app, db, caller, now, audit: note, setResultRow: left },
  { body },
) => {
  if ((await countAssetsOf(db, caller.userId, now - dayMs)) >= maxPerDay)
    throw new ProblemError('RATE_LIMITED', null, 3600)
  const picture = body.avatar as Picture
  const name = randomBytes(24).toString('base64url')
  const { companyId, userId } = caller
  const { picturesPerCompanyMb: mostMb } = app.config
  if ((await pictureBytesOf(db, companyId)) + picture.bytes.length > mostMb * 1024 ** 2)
    throw new ProblemError('PICTURE_QUOTA', { most: `${mostMb} MB` })
  const id = await insertAsset(db, { ...picture, name, company_id: companyId, user_id: userId, create_time: now })
  left('asset', id, 1)
  const user = await userById(db, companyId, userId)
  const about = { CompanyName: user?.company_name, UserName: user?.name }
  await note({ code: 'user', operation: 'create', info: { ...about, File: 'avatar' } })
  return { body: { id: name } }
}

/** Throws NOT_FOUND. */
export async function assetNamed(app: AppContext, name: string): Promise<Pick<NewAsset, 'type' | 'bytes'>> {
  const found = await inTransaction(app, { role: 'portal_system' }, (db) => assetByName(db, name), 'reading')
  if (!found) throw notFound()
  return found
}
