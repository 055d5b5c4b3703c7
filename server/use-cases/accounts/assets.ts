/** Stores and reads pictures of users. Anyone who knows the name of a picture, which cannot be guessed, can read it. */
import { randomBytes } from 'node:crypto'
import type { uploadAsset } from '#contract/accounts.ts'
import {
  findAssetByName,
  countAssets,
  insertAsset,
  type NewAsset,
  sumPictureBytes,
} from '#server/db/accounts/assets.ts'
import { readAsSystem } from '#server/db/transaction.ts'
import type { AppContext, UseCase } from '#server/context/context.ts'
import { ProblemError, requireRow } from '#server/problems/problem-error.ts'
import type { AvatarImage } from '#server/use-cases/accounts/avatar-image.ts'
import { findUserById } from '#server/db/accounts/users.ts'

const dayMs = 86_400_000
const maxPicturesPerDay = 100

/** The input is already an `AvatarImage`: the route's `prepare` converts it before the transaction. */
export const uploadPicture: UseCase<typeof uploadAsset> = async (
  { app, db, caller, now, audit, setResultRow },
  { body },
) => {
  if ((await countAssets(db, caller.userId, now - dayMs)) >= maxPicturesPerDay)
    throw new ProblemError('RATE_LIMITED', null, 3600)
  const picture = body.avatar as AvatarImage
  const name = randomBytes(24).toString('base64url')
  const { companyId, userId } = caller
  const { picturesPerCompanyMb: maxMb } = app.config
  if ((await sumPictureBytes(db, companyId)) + picture.bytes.length > maxMb * 1024 ** 2)
    throw new ProblemError('PICTURE_QUOTA', { most: `${maxMb} MB` })
  const id = await insertAsset(db, { ...picture, name, company_id: companyId, user_id: userId, create_time: now })
  setResultRow('asset', id, 1)
  const user = await findUserById(db, companyId, userId)
  const ownerInfo = { CompanyName: user?.company_name, UserName: user?.name }
  await audit({ code: 'user', operation: 'create', info: { ...ownerInfo, File: 'avatar' } })
  return { body: { id: name } }
}

/** Throws NOT_FOUND if there is no picture with this name. */
export async function readAsset(app: AppContext, name: string): Promise<Pick<NewAsset, 'type' | 'bytes'>> {
  const asset = requireRow(await readAsSystem(app, (db) => findAssetByName(db, name)))
  return asset
}
