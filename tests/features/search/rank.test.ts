import { beforeAll, describe, expect, it } from 'vitest'
import { markMatches } from '#features/search/matching/marks.ts'
import { loadPinyin, toPinyinKeys } from '#features/search/matching/pinyin.ts'
import { rankFields, ranks, toSearchFields } from '#features/search/matching/rank.ts'
import { parseSearchQuery, toDisplayedText } from '#features/search/matching/query.ts'
import type { SearchItem } from '#patterns/search-source.ts'

const buildItem = (label: string, fields: Partial<SearchItem> = {}): SearchItem => ({
  key: label,
  group: 'find',
  icon: 'person',
  label,
  detail: '',
  codes: [],
  ...fields,
})
const rank = (text: string, label: string, fields?: Partial<SearchItem>) =>
  rankFields(toSearchFields(buildItem(label, fields)), parseSearchQuery(text))

beforeAll(async () => expect(await loadPinyin()).toBe(true))

describe('the rank of an item', () => {
  it.each([
    ['acmehr', ranks.exact],
    ['ACMEHR', ranks.exact],
    ['acme', ranks.prefix],
    ['people', ranks.wordStart],
    ['cmeh', ranks.substring],
    ['c-2026', ranks.prefix],
    ['C-2026-0007', ranks.exact],
    ['0007', ranks.wordStart],
    ['acme peo', ranks.prefix],
    ['peo acme', ranks.wordStart],
    ['acmehr people', ranks.wordStart],
    ['nothing', null],
    ['acmehr nothing', null],
  ])('of %s is as good as the best match of its worst term', (text, expectedRank) => {
    expect(rank(text, 'acmehr', { detail: 'Acme people', codes: ['C-2026-0007'] })).toBe(expectedRank)
  })

  it('is exact for a complete name of several words, and not for terms that each equal a code', () => {
    expect(rank('amelia  chan', 'Amelia Chan')).toBe(ranks.exact)
    expect(rank('one two', 'one', { codes: ['two'] })).toBe(ranks.prefix)
  })

  it('ignores case, accents, width and apostrophes', () => {
    expect(rank('jose', 'José')).toBe(ranks.exact)
    expect(rank('ａｂｃ', 'abc')).toBe(ranks.exact)
    expect(rank("o'brien", 'OBrien')).toBe(ranks.exact)
    expect(rank('obrien', 'O’Brien')).toBe(ranks.exact)
  })
})

describe('Chinese names', () => {
  it.each([
    ['环球贸易', ['hqmy', 'huanqiumaoyi']],
    ['重庆长城银行', ['cqccyh', 'chongqingchangchengyinhang']],
    ['厦门朝阳音乐', ['xmcyyy', 'xiamenchaoyangyinyue']],
    ['曾国华', ['zgh', 'zengguohua']],
    ['曾國華', ['zgh', 'zengguohua']],
    ['環球貿易', ['hqmy', 'huanqiumaoyi']],
    ['吕绿', ['ll', 'lvlv', 'lulu']],
  ])('%s has its initials and its reading, also with several readings of a character', (name, keys) => {
    expect(toPinyinKeys(name)).toEqual(expect.arrayContaining(keys))
  })

  it('match after all other matches, from the start or within the reading', () => {
    expect(rank('hqmy', '环球贸易')).toBe(ranks.pinyin)
    expect(rank('huanqiu', '环球贸易')).toBe(ranks.pinyin)
    expect(rank("huan'qiu", '环球贸易')).toBe(ranks.pinyin)
    expect(rank('maoyi', '环球贸易')).toBe(ranks.pinyinPart)
    expect(rank('环球', '环球贸易')).toBe(ranks.prefix)
    expect(rank('hqmy acme', 'acme', { detail: '环球贸易' })).toBe(ranks.pinyin)
    expect(rank('lüse', '绿色')).toBe(ranks.pinyin)
    expect(rank('hqmz', '环球贸易')).toBe(null)
  })
})

describe('the marks of a match', () => {
  const mark = (label: string, text: string) =>
    markMatches(label, parseSearchQuery(text))
      .map(({ text: part, isMarked }) => (isMarked ? `[${part}]` : part))
      .join('')

  it.each([
    ['Amelia Chan', 'cha', 'Amelia [Cha]n'],
    ['Amelia Chan', 'chan am', '[Am]elia [Chan]'],
    ['José María', 'maria', 'José [María]'],
    ['环球贸易', 'my', '环球[贸易]'],
    ['环球贸易', 'qiumao', '环[球贸]易'],
    ['Acme 环球', 'hq', 'Acme [环球]'],
    ['Ａcme', 'ac', '[Ａc]me'],
    ['👩‍💼 Ada', 'ada', '👩‍💼 [Ada]'],
    ['Ada', 'zzz', 'Ada'],
    ['', 'a', ''],
  ])('%s for %s', (label, text, expectedText) => {
    expect(mark(label, text)).toBe(expectedText)
  })
})

describe('what a user types', () => {
  it('is limited in length and number of terms, and control characters separate terms', () => {
    expect(parseSearchQuery('x'.repeat(1_000_000)).phrase).toHaveLength(100)
    expect(parseSearchQuery('a b c d e f g h i').terms).toHaveLength(6)
    expect(parseSearchQuery('  a\u0000b\u202ec\n ').terms).toEqual(['a', 'b', 'c'])
    expect(parseSearchQuery(' \t\u200b ').terms).toEqual([])
    expect(toDisplayedText(' a\u202eb\u0000 ')).toBe('ab')
  })
})
