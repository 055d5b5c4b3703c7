/** Calls whose body travels as a form, and answers in two words: what the sign-up's and the recovery's tests share. */
import type { Send } from '#tests/support/server/server.ts'

/** A password that is on no list and holds nobody's name. */
export const newPassword = 'Slow-river-under-9-bridges'

export type Form = Record<string, string>

export const postForm = (send: Send, url: string, form: Form, headers: Form = {}) =>
  send({
    method: 'POST',
    url,
    headers: { 'content-type': 'application/x-www-form-urlencoded', ...headers },
    payload: new URLSearchParams(form).toString(),
  })

/** Status and code of a refusal. */
export const readStatusAndCode = (response: { statusCode: number; json: () => { errorCode?: string } }) => [
  response.statusCode,
  response.json().errorCode,
]

/** Of a refused form: `field CODE`, in the order in which they were told. */
export const readFieldErrors = (response: { json: () => { data: { field: string; code: string }[] } }): string[] =>
  response.json().data.map(({ field, code }) => `${field} ${code}`)
