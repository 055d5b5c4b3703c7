import { describe, expect, it } from 'vitest'
import { findHiddenCharacter, findBidiControl } from '#domain/text.ts'

describe('findHiddenCharacter and findBidiControl', () => {
  it.each([
    ['a zero-width space', 'Ad\u200Ba', 'U+200B'],
    ['a byte order mark', '\uFEFFAda', 'U+FEFF'],
    ['a word joiner', 'Ad\u2060a', 'U+2060'],
    ['a soft hyphen', 'Ad\u00ADa', 'U+00AD'],
    ['a bidirectional override', 'Ad\u202Ea', 'U+202E'],
    ['a bidirectional isolate', 'Ad\u2066a', 'U+2066'],
    ['a right-to-left mark at the end', 'Ada\u200F', 'U+200F'],
    ['a tag character', 'Ada\u{E0041}', 'U+E0041'],
    ['a zero-width joiner between Latin letters', 'Ad\u200Da', 'U+200D'],
    ['a zero-width non-joiner at the end', 'می\u200C', 'U+200C'],
    ['a Hangul filler', 'Ada\u3164', 'U+3164'],
    ['a variation selector after a Latin letter', 'Ada\uFE0F', 'U+FE0F'],
  ])('find %s (fault 17d)', (_, text, expected) => expect(findHiddenCharacter(text)).toBe(expected))

  it.each([
    'Zoë Chan',
    '陳大文',
    '葛\u{E0100}城',
    'می\u200Cخواهم',
    'क्\u200Dष',
    '👩\u200D💻 Ltd',
    '❤️ & Co',
    '1️⃣',
    'e\u0301',
  ])('find nothing in %s (fault 17d)', (text) => expect(findHiddenCharacter(text)).toBeNull())

  it('find bidirectional overrides in text of several lines, but not right-to-left marks (fault 17d)', () => {
    expect(findBidiControl('one\ntwo \u202E')).toBe('U+202E')
    expect(findBidiControl('שלום\u200F (a)\n')).toBeNull()
  })
})
