/** Tests of the content types of a form (S-03). */
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
])('A form of the type %s is parsed (fault 26a)', (type) => {
  expect(parseType(type)).toEqual({ kind: 'pairs', pairs: [['subject', '合同']] })
})

test.each([
  'application/x-www-form-urlencoded; charset=gbk',
  'text/html; application/x-www-form-urlencoded',
  'application/x-www-form-urlencoded-2',
  '',
])('A form of another type or charset is rejected: %s (fault 26a)', (type) => {
  expect(() => parseType(type)).toThrow(expect.objectContaining({ code: 'UNSUPPORTED_TYPE' }))
})
