/** Tests that every call whose result may be unknown has its own name, because "A request" would not help the user. */
import { expect, it } from 'vitest'
import { endpoints } from '#contract/index.ts'
import en from '#locales/en/outbox.json'
import zh from '#locales/zh/outbox.json'

/** Calls that the worker itself creates. Their entries have their own names. */
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

it.each(resendableEndpoints.map(({ name }) => name))('%s has a name in both languages (fault 33e)', (name) => {
  expect([Object.hasOwn(en.call, name), Object.hasOwn(zh.call, name)]).toEqual([true, true])
})
