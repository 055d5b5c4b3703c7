/** Sends forms and reads their error responses, for the tests of sign-up and recovery. */
import type { Send } from '#tests/support/server/server.ts'

/** A password that is on no list of common passwords and contains no name of a user. */
export const newPassword = 'Slow-river-under-9-bridges'

export type Form = Record<string, string>

export const postForm = (send: Send, url: string, form: Form, headers: Form = {}) =>
  send({
    method: 'POST',
    url,
    headers: { 'content-type': 'application/x-www-form-urlencoded', ...headers },
    payload: new URLSearchParams(form).toString(),
  })

export const readStatusAndCode = (response: { statusCode: number; json: () => { errorCode?: string } }) => [
  response.statusCode,
  response.json().errorCode,
]

/** Returns the errors of a refused form as `field CODE`, in the order of the response. */
export const readFieldErrors = (response: { json: () => { data: { field: string; code: string }[] } }): string[] =>
  response.json().data.map(({ field, code }) => `${field} ${code}`)
