/** Secrets of authenticator apps as they stand in the database. */
import type { Config } from '#server/config/config.ts'
import { seal, type SealedFor, unseal } from '#server/use-cases/seals.ts'

type Keyed = Pick<Config, 'tokenKey'>

const ofUser = (userId: number): SealedFor => ({ purpose: 'secrets of second factors', of: `factor of ${userId}` })

export const sealSecret = (config: Keyed, userId: number, secret: string): string =>
  seal(config, ofUser(userId), secret)

/** Null where it was sealed under another key. */
export const openSecret = (config: Keyed, userId: number, sealed: string): string | null =>
  unseal(config, ofUser(userId), sealed)
