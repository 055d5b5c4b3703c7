/** Tests text that people type in another form than the stored one, and names that end a sentence. */
import { describe, expect, it } from 'vitest'
import { cleanCode, cleanDigits, removeDoubleFullStop } from '#domain/text.ts'

describe('cleanDigits', () => {
  it.each([
    ['138 0013 8000', '13800138000'],
    ['２１１０４４００', '21104400'],
    ['(0755) 2600-8888', '075526008888'],
    ['2110 – 4400', '21104400'],
    ['2110　4400', '21104400'],
    ['2110x4400', '2110x4400'],
    ['', ''],
  ])('turns %s into %s (fault 22d)', (text, expected) => expect(cleanDigits(text)).toBe(expected))
})

it('cleanCode returns plain letters and digits (fault 22d)', () => expect(cleanCode(' ＡＣＭＥ０１ ')).toBe('ACME01'))

describe('removeDoubleFullStop', () => {
  it.each([
    ['The service contracts of Acme Trading Ltd..', 'The service contracts of Acme Trading Ltd.'],
    ['Acme Ltd.. Next.', 'Acme Ltd. Next.'],
    ['A name that leads elsewhere: aa/../c.', 'A name that leads elsewhere: aa/../c.'],
    ['Wait...', 'Wait...'],
  ])('removes a doubled full stop at the end of a word, and nothing else: "%s" (fault 37m)', (text, expected) =>
    expect(removeDoubleFullStop(text)).toBe(expected),
  )
})
