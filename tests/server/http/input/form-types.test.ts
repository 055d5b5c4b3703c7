/** How a form may say what it is (S-03). */
import { expect, test } from 'vitest'
import { alipayCalls } from '#contract/payments.ts'
import { readBody } from '#server/http/input/parse.ts'
import type { Endpoint } from '#contract/endpoint.ts'

const parseType = (type: string) =>
  readBody(alipayCalls as unknown as Endpoint, type, Buffer.from('subject=%E5%90%88%E5%90%8C'))

test.each([
  'application/x-www-form-urlencoded',
  'application/x-www-form-urlencoded; text/html; charset=utf-8',
  'application/x-www-form-urlencoded;charset=UTF-8',
  'Application/X-WWW-Form-Urlencoded ; charset="utf-8"',
])('fault 26a a form is read that says %s', (type) => {
  expect(parseType(type)).toEqual({ kind: 'pairs', pairs: [['subject', '合同']] })
})

test.each([
  'application/x-www-form-urlencoded; charset=gbk',
  'text/html; application/x-www-form-urlencoded',
  'application/x-www-form-urlencoded-2',
  '',
])('fault 26a another type or charset is refused: %s', (type) => {
  expect(() => parseType(type)).toThrow(expect.objectContaining({ code: 'UNSUPPORTED_TYPE' }))
})
