/** Stores a service's new password encrypted, until the requesting user has fetched it once or a day has passed (contracts 6, D43). */
import { randomInt } from 'node:crypto'
import type { takeServicePassword } from '#contract/services.ts'
import type { Config } from '#server/config/config.ts'
import { fetchPasswordOnce } from '#server/db/hosting/service-passwords.ts'
import type { UseCase } from '#server/context/context.ts'
import { createNotFoundProblem } from '#server/problems/problem-error.ts'
import { seal, type SealTarget, unseal } from '#server/use-cases/seals.ts'
import { runForService } from '#server/use-cases/hosting/run-for-service.ts'

type TokenKeyConfig = Pick<Config, 'tokenKey'>

/** Name of the administrator of every service (D43). */
export const passwordUser = 'admin'
export const passwordLifeMs = 86_400_000

// Without characters that look alike.
const passwordLetters = 'abcdefghijkmnpqrstuvwxyzABCDEFGHJKLMNPQRSTUVWXYZ23456789'
const passwordLength = 20

/** Returns a random password of about 116 bits. */
export const createServicePassword = (): string =>
  Array.from({ length: passwordLength }, () => passwordLetters[randomInt(passwordLetters.length)]).join('')

const getSealTarget = (id: number): SealTarget => ({
  purpose: 'passwords of services',
  owner: `password of service ${id}`,
})

export const sealPassword = (config: TokenKeyConfig, serviceId: number, password: string): string =>
  seal(config, getSealTarget(serviceId), password)

/** Throws NOT_FOUND if there is no password for the caller: another user requested it, it was fetched before, or a day has passed. */
export const revealServicePassword: UseCase<typeof takeServicePassword> = (context, { params }) =>
  runForService(context, params.id, async ({ id }) => {
    const { db, app, caller, now } = context
    const sealedPassword = await fetchPasswordOnce(db, { serviceId: id, userId: caller.userId, now })
    const password = sealedPassword === null ? null : unseal(app.config, getSealTarget(id), sealedPassword)
    if (password === null) throw createNotFoundProblem()
    return { body: { user: passwordUser, password } }
  })
