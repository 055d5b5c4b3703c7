import { describe, expect, it } from 'vitest'
import { getDialCode } from '#domain/accounts/company-fields.ts'
import { getChanges } from '#patterns/edit-form/form-values.ts'
import {
  checkChanges,
  type CompanyFormValues,
  type CompanyRow,
  fromValues,
  rebaseCompany,
  toValues,
} from '#features/company/form.ts'
import { readRegions } from '#features/company/regions.ts'

const row = {
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
} as CompanyRow
const values = toValues(row)
/** Returns the changes that a form sends for the changed values. */
const getSentChanges = (changedValues: Partial<CompanyFormValues>, initialValues = values) =>
  getChanges(fromValues({ ...initialValues, ...changedValues }), fromValues(initialValues))
const check = (changedValues: Partial<CompanyFormValues>, initialValues = values) =>
  checkChanges(fromValues({ ...initialValues, ...changedValues }), getSentChanges(changedValues, initialValues))

describe('the company form', () => {
  it('shows an unchanged row and reports no change of it', () => {
    expect(values).toMatchObject({ province: '', dialCode: '852', number: '21104400', website: '' })
    expect(getSentChanges({})).toEqual({})
  })

  it('sends only changed fields, and an emptied field as null', () => {
    expect(getSentChanges({ name: ' Acme & Sons ', city: ' ', number: '', website: 'www.acme.example' })).toEqual({
      name: 'Acme & Sons',
      city: null,
      tel: null,
      website: 'www.acme.example',
    })
  })

  it('adds and removes a tax number, and rejects an invalid one', () => {
    expect(values.tax_number).toBe('')
    expect(getSentChanges({ tax_number: ' 12345678 ' })).toEqual({ tax_number: '12345678' })
    expect(getSentChanges({ tax_number: '' }, { ...values, tax_number: '12345678' })).toEqual({ tax_number: null })
    expect(check({ tax_number: '12_34' })).toEqual([{ field: 'tax_number', code: 'INVALID_FORMAT' }])
  })

  it('reports no change of a row that was stored before the tax number existed', () => {
    const { tax_number: _none, ...olderRow } = row
    const olderValues = toValues(olderRow as CompanyRow)
    expect(olderValues.tax_number).toBe('')
    expect(getSentChanges({}, olderValues)).toEqual({})
  })

  it('accepts a stored telephone number of another format until it is changed', () => {
    const olderValues = toValues({ ...row, tel: '+852 2110 4400' })
    expect(getSentChanges({ name: 'New' }, olderValues)).toEqual({ name: 'New' })
    expect(check({ name: 'New' }, olderValues)).toEqual([])
    expect(check({ number: '+852 2110 4401' }, olderValues)).toEqual([{ field: 'tel', code: 'INVALID_TEL' }])
  })

  it('sets the dial code of the country, unless another one was typed (M28)', () => {
    expect(getDialCode('CN', '852')).toBe('86')
    expect(getDialCode('HK', '')).toBe('852')
    expect(getDialCode('CN', '44')).toBe('44')
    expect(getDialCode('', '852')).toBe('852')
  })
})

describe('rebaseCompany', () => {
  /** Merges the current telephone number into the typed values. Returns the dial code and the number that the form then shows. */
  const rebaseTel = (
    typedValues: Partial<CompanyFormValues>,
    currentTel: string | null,
    baseTel: string | null = row.tel,
  ) => {
    const baseValues = toValues({ ...row, tel: baseTel })
    const currentValues = toValues({ ...row, tel: currentTel, city: 'Sha Tin' })
    const rebased = rebaseCompany({ ...baseValues, ...typedValues }, baseValues, currentValues)
    expect(rebased.city).toBe('Sha Tin')
    return [rebased.dialCode, rebased.number]
  }

  it('keeps the typed telephone number if its dial code or its number was typed', () => {
    expect(rebaseTel({ number: '55550000' }, '+86-13800000000')).toEqual(['852', '55550000'])
    expect(rebaseTel({ dialCode: '86' }, '+44-2000000000')).toEqual(['86', '21104400'])
    expect(rebaseTel({ number: '' }, '+86-13800000000')).toEqual(['852', ''])
    expect(rebaseTel({ dialCode: '86', number: '13811111111' }, null)).toEqual(['86', '13811111111'])
  })

  it('takes the current telephone number if none was typed', () => {
    expect(rebaseTel({}, '+86-13800000000')).toEqual(['86', '13800000000'])
    expect(rebaseTel({ name: 'Acme & Sons' }, null)).toEqual(['852', ''])
  })

  it('takes the current telephone number if only a dial code was typed', () => {
    expect(rebaseTel({ dialCode: '86' }, '+44-2000000000', null)).toEqual(['44', '2000000000'])
    expect(rebaseTel({ dialCode: '86' }, null, null)).toEqual(['86', ''])
  })
})

describe('provinces and cities', () => {
  it('include those of China by name in either language, without regions that have their own dial code', async () => {
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

  it('consist of the 18 districts in Hong Kong', async () => {
    const [chineseRegions, englishRegions] = [await readRegions('HK', 'zh'), await readRegions('HK', 'en')]
    expect([chineseRegions?.cities('').length, englishRegions?.cities('').length]).toEqual([18, 18])
    expect(chineseRegions?.cities('')).toContain('湾仔区')
    expect(englishRegions?.cities('').every((name) => /^[A-Z][a-z ]+/i.test(name))).toBe(true)
    expect(await readRegions(null, 'en')).toBeNull()
  })
})
