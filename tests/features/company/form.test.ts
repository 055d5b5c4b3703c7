import { describe, expect, it } from 'vitest'
import { getDialCode } from '#domain/accounts/company-fields.ts'
import {
  getProfileChanges,
  checkForm,
  type CompanyRow,
  toProfileFromValues,
  getCompanyPath,
  toProfile,
  rebaseProfile,
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
const profile = toProfile(row)

describe("the company's form", () => {
  it('shows a row and makes the very same of it again', () => {
    expect(toValues(profile)).toMatchObject({ province: '', dialCode: '852', number: '21104400', website: '' })
    expect(getProfileChanges(toProfileFromValues(toValues(profile)), profile)).toEqual({})
    expect(getCompanyPath(7)).toBe('/api/m18s/company/7')
  })

  it('sends what differs, and what was emptied as nothing', () => {
    const values = { ...toValues(profile), name: ' Acme & Sons ', city: ' ', number: '', website: 'www.acme.example' }
    expect(getProfileChanges(toProfileFromValues(values), profile)).toEqual({
      name: 'Acme & Sons',
      city: null,
      tel: null,
      website: 'www.acme.example',
    })
  })

  it('takes a tax number and takes it away, and says what is wrong with one', () => {
    const profileWithTax = { ...profile, tax_number: '12345678' }
    expect(toValues(profile).tax_number).toBe('')
    expect(getProfileChanges(toProfileFromValues({ ...toValues(profile), tax_number: ' 12345678 ' }), profile)).toEqual(
      {
        tax_number: '12345678',
      },
    )
    expect(
      getProfileChanges(toProfileFromValues({ ...toValues(profileWithTax), tax_number: '' }), profileWithTax),
    ).toEqual({ tax_number: null })
    expect(checkForm({ ...profile, tax_number: '12_34' }, profile)).toEqual([
      { field: 'tax_number', code: 'INVALID_FORMAT' },
    ])
  })

  it('finds nothing changed in a row that was kept before there was a tax number', () => {
    const { tax_number: _none, ...olderRow } = row
    const olderProfile = toProfile(olderRow as CompanyRow)
    expect(getProfileChanges(toProfileFromValues(toValues(olderProfile)), olderProfile)).toEqual({})
  })

  it('keeps a telephone number that is of another shape, until it is changed', () => {
    const olderProfile = { ...profile, tel: '+852 2110 4400' }
    expect(toProfileFromValues(toValues(olderProfile)).tel).not.toBe(olderProfile.tel)
    expect(checkForm({ ...olderProfile, name: 'New' }, olderProfile)).toEqual([])
    expect(checkForm({ ...olderProfile, tel: '+852 2110 4401' }, olderProfile)).toEqual([
      { field: 'tel', code: 'INVALID_TEL' },
    ])
  })

  it('follows the country with the dial code, unless another one was typed (M28)', () => {
    expect(getDialCode('CN', '852')).toBe('86')
    expect(getDialCode('HK', '')).toBe('852')
    expect(getDialCode('CN', '44')).toBe('44')
    expect(getDialCode('', '852')).toBe('852')
  })

  it('after a conflict stands on theirs, with what was typed over it', () => {
    const ownProfile = { ...profile, name: 'Mine' }
    const serverProfile = { ...profile, name: 'Theirs', city: 'Kowloon' }
    expect(rebaseProfile(ownProfile, profile, serverProfile)).toEqual({ ...profile, name: 'Mine', city: 'Kowloon' })
  })
})

describe('provinces and cities', () => {
  it('of China are found by the name in either language, without what has a dial code of its own', async () => {
    const chineseRegions = await readRegions('CN', 'zh')
    const englishRegions = await readRegions('CN', 'en')
    expect(chineseRegions?.provinces).toHaveLength(31)
    expect(chineseRegions?.provinces).toContain('广东省')
    expect(chineseRegions?.provinces).not.toContain('香港特别行政区')
    expect(englishRegions?.provinces).toEqual(
      expect.arrayContaining(['Guangdong', 'Shaanxi', 'Shanxi', 'Inner Mongolia']),
    )
    expect(englishRegions?.provinces.every((name) => /^[A-Z][a-z ]+/.test(name))).toBe(true)
    expect(chineseRegions?.cities('广东省')).toContain('深圳市')
    expect(englishRegions?.cities('Guangdong')).toEqual(chineseRegions?.cities('Guangdong'))
    expect(chineseRegions?.cities('北京市')).toEqual(['北京市'])
    expect(englishRegions?.cities('Shanghai')).toEqual(['Shanghai'])
    expect(chineseRegions?.cities('nowhere')).toEqual([])
  })

  it('of Hong Kong are its eighteen districts', async () => {
    const [chineseRegions, englishRegions] = [await readRegions('HK', 'zh'), await readRegions('HK', 'en')]
    expect([chineseRegions?.cities('').length, englishRegions?.cities('').length]).toEqual([18, 18])
    expect(chineseRegions?.cities('')).toContain('湾仔区')
    expect(englishRegions?.cities('').every((name) => /^[A-Z][a-z ]+/i.test(name))).toBe(true)
    expect(await readRegions(null, 'en')).toBeNull()
  })
})
