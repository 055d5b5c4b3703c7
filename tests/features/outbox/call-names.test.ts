/** Every call that can be in doubt says what it is: "A request" tells its user nothing. */
import { expect, it } from 'vitest'
import { endpoints } from '#contract/index.ts'
import en from '#locales/en/outbox.json'
import zh from '#locales/zh/outbox.json'

/** Of the worker's own making, with entries that have their own names. */
const ownEndpoints = ['sendBatch', 'voidRequest']
const resendableEndpoints = endpoints.filter(
  ({ name, method, secret, encoding, access, offline, queue }) =>
    method !== 'GET' &&
    !secret &&
    encoding !== 'multipart' &&
    access !== 'anybody' &&
    (offline !== 'queue' || queue?.mustNotQueue !== undefined) &&
    !ownEndpoints.includes(name),
)

it.each(resendableEndpoints.map(({ name }) => name))('fault 33e %s has a name in both languages', (name) => {
  expect([Object.hasOwn(en.call, name), Object.hasOwn(zh.call, name)]).toEqual([true, true])
})
