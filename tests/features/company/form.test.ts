import { describe, expect, it } from 'vitest'
import { dialCodeFor } from '#domain/accounts/companies.ts'
import {
  changesOf,
  checkForm,
  type CompanyRow,
  fromValues,
  pathOf,
  profileOf,
  rebase,
  toValues,
} from '#features/company/form.ts'
import { readRegions } from '#features/company/regions.ts'

const row: CompanyRow = {
  id: 7,
  code: 'acme',
  name: 'Acme',
  country: 'HK',
  province: null,
  city: 'Wan Chai',
  addr1: '1 Road',
  addr2: null,
  addr3: null,
  tel: '+852-21104400',
  email: 'office@acme.example',
  website: null,
  tax_number: null,
  row_version: 3,
}
const before = profileOf(row)

describe("the company's form", () => {
  it('shows a row and makes the very same of it again', () => {
    expect(toValues(before)).toMatchObject({ province: '', dialCode: '852', number: '21104400', website: '' })
    expect(changesOf(fromValues(toValues(before)), before)).toEqual({})
    expect(pathOf(7)).toBe('/api/m18s/company/7')
  })

  it('sends what differs, and what was emptied as nothing', () => {
    const values = { ...toValues(before), name: ' Acme & Sons ', city: ' ', number: '', website: 'www.acme.example' }
    expect(changesOf(fromValues(values), before)).toEqual({
      name: 'Acme & Sons',
      city: null,
      tel: null,
      website: 'www.acme.example',
    })
  })

  it('takes a tax number and takes it away, and says what is wrong with one', () => {
    const given = { ...before, tax_number: '12345678' }
    expect(toValues(before).tax_number).toBe('')
    expect(changesOf(fromValues({ ...toValues(before), tax_number: ' 12345678 ' }), before)).toEqual({
      tax_number: '12345678',
    })
    expect(changesOf(fromValues({ ...toValues(given), tax_number: '' }), given)).toEqual({ tax_number: null })
    expect(checkForm({ ...before, tax_number: '12_34' }, before)).toEqual([
      { field: 'tax_number', code: 'INVALID_FORMAT' },
    ])
  })

  it('finds nothing changed in a row that was kept before there was a tax number', () => {
    const { tax_number: _none, ...kept } = row
    const old = profileOf(kept as CompanyRow)
    expect(changesOf(fromValues(toValues(old)), old)).toEqual({})
  })

  it('keeps a telephone number that is of another shape, until it is changed', () => {
    const old = { ...before, tel: '+852 2110 4400' }
    expect(fromValues(toValues(old)).tel).not.toBe(old.tel)
    expect(checkForm({ ...old, name: 'New' }, old)).toEqual([])
    expect(checkForm({ ...old, tel: '+852 2110 4401' }, old)).toEqual([{ field: 'tel', code: 'INVALID_TEL' }])
  })

  it('follows the country with the dial code, unless another one was typed (M28)', () => {
    expect(dialCodeFor('CN', '852')).toBe('86')
    expect(dialCodeFor('HK', '')).toBe('852')
    expect(dialCodeFor('CN', '44')).toBe('44')
    expect(dialCodeFor('', '852')).toBe('852')
  })

  it('after a conflict stands on theirs, with what was typed over it', () => {
    const typed = { ...before, name: 'Mine' }
    const theirs = { ...before, name: 'Theirs', city: 'Kowloon' }
    expect(rebase(typed, before, theirs)).toEqual({ ...before, name: 'Mine', city: 'Kowloon' })
  })
})

describe('provinces and cities', () => {
  it('of China are found by the name in either language, without what has a dial code of its own', async () => {
    const chinese = await readRegions('CN', 'zh')
    const english = await readRegions('CN', 'en')
    expect(chinese?.provinces).toHaveLength(31)
    expect(chinese?.provinces).toContain('广东省')
    expect(chinese?.provinces).not.toContain('香港特别行政区')
    expect(english?.provinces).toEqual(expect.arrayContaining(['Guangdong', 'Shaanxi', 'Shanxi', 'Inner Mongolia']))
    expect(english?.provinces.every((name) => /^[A-Z][a-z ]+/.test(name))).toBe(true)
    expect(chinese?.cities('广东省')).toContain('深圳市')
    expect(english?.cities('Guangdong')).toEqual(chinese?.cities('Guangdong'))
    expect(chinese?.cities('北京市')).toEqual(['北京市'])
    expect(english?.cities('Shanghai')).toEqual(['Shanghai'])
    expect(chinese?.cities('nowhere')).toEqual([])
  })

  it('of Hong Kong are its eighteen districts', async () => {
    const [chinese, english] = [await readRegions('HK', 'zh'), await readRegions('HK', 'en')]
    expect([chinese?.cities('').length, english?.cities('').length]).toEqual([18, 18])
    expect(chinese?.cities('')).toContain('湾仔区')
    expect(english?.cities('').every((name) => /^[A-Z][a-z ]+/i.test(name))).toBe(true)
    expect(await readRegions(null, 'en')).toBeNull()
  })
})
