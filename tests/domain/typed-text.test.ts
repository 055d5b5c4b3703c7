/** What people type in place of what is meant, and how names end sentences. */
import { describe, expect, it } from 'vitest'
import { cleanCode, cleanDigits, removeDoubleFullStop } from '#domain/text.ts'

describe('figures as people group them', () => {
  it.each([
    ['138 0013 8000', '13800138000'],
    ['２１１０４４００', '21104400'],
    ['(0755) 2600-8888', '075526008888'],
    ['2110 – 4400', '21104400'],
    ['2110　4400', '21104400'],
    ['2110x4400', '2110x4400'],
    ['', ''],
  ])('fault 22d %s is %s', (text, expected) => expect(cleanDigits(text)).toBe(expected))
})

it('fault 22d a code is in plain letters and figures', () => expect(cleanCode(' ＡＣＭＥ０１ ')).toBe('ACME01'))

describe('a sentence that ends in a name', () => {
  it.each([
    ['The service contracts of Acme Trading Ltd..', 'The service contracts of Acme Trading Ltd.'],
    ['Acme Ltd.. Next.', 'Acme Ltd. Next.'],
    ['A name that leads elsewhere: aa/../c.', 'A name that leads elsewhere: aa/../c.'],
    ['Wait...', 'Wait...'],
  ])('fault 37m "%s" has one stop', (text, expected) => expect(removeDoubleFullStop(text)).toBe(expected))
})
