import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { toCanonicalJson, isCanonical } from '#domain/audit-log/canonical.ts'
import type { LeafValue } from '#domain/audit-log/leaf.ts'
import { getErrorCode } from './test-log.ts'

describe('toCanonicalJson and isCanonical', () => {
  it('follow RFC 8785: names in the order of UTF-16 units, no spaces, the shortest escapes', () => {
    const value = { '€': 1, '\r': 2, '\ufb33': 3, '1': 4, '😀': 5, '\u0080': 6, ö: 7 }
    // The expected order is that of RFC 8785, 3.2.3.
    expect(toCanonicalJson(value)).toBe('{"\\r":2,"1":4,"\u0080":6,"ö":7,"€":1,"😀":5,"\ufb33":3}')
    expect(toCanonicalJson({ text: '\u20ac$\u000f\nA\'B"\\\\"/</script>' })).toBe(
      '{"text":"€$\\u000f\\nA\'B\\"\\\\\\\\\\"/</script>"}',
    )
    expect(toCanonicalJson([null, true, -1, 9_007_199_254_740_991, []])).toBe('[null,true,-1,9007199254740991,[]]')
  })

  it('give the same text again after it is parsed', () => {
    const value = fc
      .jsonValue({ maxDepth: 4 })
      .filter((jsonValue) => !/\d\.|e[-+]|\d{16}|-0/.test(JSON.stringify(jsonValue)))
    fc.assert(
      fc.property(value, (jsonValue) => {
        const code = getErrorCode(() => toCanonicalJson(jsonValue as LeafValue))
        if (code !== null) return
        const text = toCanonicalJson(jsonValue as LeafValue)
        expect(toCanonicalJson(JSON.parse(text) as LeafValue)).toBe(text)
        expect(isCanonical(text)).toBe(true)
      }),
    )
  })

  const circle: unknown[] = []
  circle.push(circle)
  // oxlint-disable-next-line no-sparse-arrays
  const arrayWithHole = [1, , 2]
  it.each([
    ['a field that is undefined', { a: undefined }],
    ['undefined', undefined],
    ['an array with a hole', arrayWithHole],
    ['a fraction', { a: [0.5] }],
    ['an unsafe integer', 2 ** 53],
    ['not a number', Number.NaN],
    ['infinity', Number.POSITIVE_INFINITY],
    ['-0', -0],
    ['a bigint', 7n],
    ['a lone surrogate', 'a\ud800'],
    ['a field name with a lone surrogate', { 'a\udc00': 1 }],
    ['a date', new Date(0)],
    ['a map', new Map()],
    ['bytes', Uint8Array.of(1)],
    ['a function', { a: () => 1 }],
    ['a symbol', Symbol('a')],
    ['a circular reference', circle],
  ])('reject %s', (_description, value) => {
    expect(getErrorCode(() => toCanonicalJson(value as LeafValue))).toBe('NOT_A_LEAF_VALUE')
  })

  it.each([
    '{"a":1, "b":2}',
    '{"b":1,"a":2}',
    '{"a":1,"a":2}',
    '{"a":1.0}',
    '{"a":1e2}',
    '"\\u0041"',
    '{"a":0.5}',
    '{',
    '',
  ])('do not accept %j as canonical', (text) => {
    expect(isCanonical(text)).toBe(false)
  })
})
