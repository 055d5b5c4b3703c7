import type { Config } from '#server/config/config.ts'
import { seal, type SealTarget, unseal } from '#server/use-cases/seals.ts'

type TokenKeyConfig = Pick<Config, 'tokenKey'>

const getSealTarget = (userId: number): SealTarget => ({
  purpose: 'secrets of second factors',
  owner: `factor of ${userId}`,
})

export const sealFactorSecret = (config: TokenKeyConfig, userId: number, secret: string): string =>
  seal(config, getSealTarget(userId), secret)

/** Returns null if the secret was encrypted under another key. */
export const openFactorSecret = (config: TokenKeyConfig, userId: number, sealedSecret: string): string | null =>
  unseal(config, getSealTarget(userId), sealedSecret)
