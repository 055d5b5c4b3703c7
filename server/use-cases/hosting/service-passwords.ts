/** New passwords of hosted services: made by us, sealed until whoever asked has fetched them, told once (contracts 6, D43). */
import { randomInt } from 'node:crypto'
import type { takeServicePassword } from '#contract/services.ts'
import type { Config } from '#server/config/config.ts'
import { takePassword } from '#server/db/hosting/service-passwords.ts'
import type { UseCase } from '#server/context/context.ts'
import { notFound } from '#server/problems/problem-error.ts'
import { seal, type SealedFor, unseal } from '#server/use-cases/seals.ts'
import { forService } from '#server/use-cases/hosting/acting-on-service.ts'

type Keyed = Pick<Config, 'tokenKey'>

/** The administrator of every service (D43). */
export const passwordUser = 'admin'
export const passwordLifeMs = 86_400_000

// Without those that are taken for each other when they are read aloud or copied by hand.
const letters = 'abcdefghijkmnpqrstuvwxyzABCDEFGHJKLMNPQRSTUVWXYZ23456789'
const length = 20

/** Some 116 bits. */
export const newServicePassword = (): string =>
  Array.from({ length }, () => letters[randomInt(letters.length)]).join('')

const ofService = (id: number): SealedFor => ({ purpose: 'passwords of services', of: `password of service ${id}` })

export const sealPassword = (config: Keyed, serviceId: number, password: string): string =>
  seal(config, ofService(serviceId), password)

/** Throws NOT_FOUND where there is none: it was told, a day has gone by, or another person asked for it. */
export const take: UseCase<typeof takeServicePassword> = (context, { params }) =>
  forService(context, params.id, async ({ id }) => {
    const { db, app, caller, now } = context
    const sealed = await takePassword(db, { serviceId: id, userId: caller.userId, now })
    const password = sealed === null ? null : unseal(app.config, ofService(id), sealed)
    if (password === null) throw notFound()
    return { body: { user: passwordUser, password } }
  })
