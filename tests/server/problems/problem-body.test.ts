import { describe, expect, it } from 'vitest'
import type { FieldProblem } from '#domain/checks/field-checks.ts'
import { mappFaults } from '#domain/catalogue/mapp.ts'
import { priceFileFaults } from '#domain/checks/price-file-checks.ts'
import enApps from '#locales/en/apps.json' with { type: 'json' }
import enPrices from '#locales/en/prices.json' with { type: 'json' }
import { buildErrorBody } from '#server/problems/problem-body.ts'

const subject = 'folder-manifest.json'

const readMessage = (code: string, fault: string, language: 'en' | 'zh'): string => {
  const { data } = buildErrorBody('VALIDATION_ERROR', [{ field: 'file', code, named: `${fault} ${subject}` }], language)
  return (data as { message: string }[])[0]?.message ?? ''
}

/** Returns the codes whose text names the affected part. */
const findNaming = <Code extends string>(codes: readonly Code[], texts: Record<Code, string>): Code[] =>
  codes.filter((code) => texts[code].includes('{{'))

describe.each(['en', 'zh'] as const)('the message for a rejected file (%s)', (language) => {
  it('names the affected part of a package', () => {
    const namingCodes = findNaming(mappFaults, enApps.fault)
    expect(namingCodes.length).toBeGreaterThan(20)
    for (const code of namingCodes)
      expect([code, readMessage('BAD_PACKAGE', code, language)]).toEqual([code, expect.stringContaining(subject)])
  })

  it('names the affected part of a price list', () => {
    const namingCodes = findNaming(priceFileFaults, enPrices.fault)
    expect(namingCodes.length).toBeGreaterThan(2)
    for (const code of namingCodes)
      expect([code, readMessage('BAD_ARCHIVE', code, language)]).toEqual([code, expect.stringContaining(subject)])
  })

  it('contains no placeholder', () => {
    const messages = [
      ...mappFaults.map((code) => readMessage('BAD_PACKAGE', code, language)),
      ...priceFileFaults.map((code) => readMessage('BAD_ARCHIVE', code, language)),
    ]
    expect(messages.filter((message) => message === '' || message.includes('{{'))).toEqual([])
  })
})

describe('the message for a field', () => {
  const readFieldMessage = (problem: FieldProblem, language: 'en' | 'zh' = 'en') =>
    buildErrorBody('VALIDATION_ERROR', [problem], language).data

  it('names the body if the request has none', () => {
    expect(readFieldMessage({ field: '', code: 'REQUIRED' })).toMatchObject([
      { field: '', message: 'Please input "body" as it\'s required.' },
    ])
  })

  it('says what to type, and what is repeated', () => {
    expect(readFieldMessage({ field: 'confirmation', code: 'NOT_CONFIRMED', named: 'acmehr' })).toMatchObject([
      { message: 'Please type "acmehr" to confirm.' },
    ])
    expect(readFieldMessage({ field: 'items', code: 'REPEATED', named: 'order 5' }, 'zh')).toMatchObject([
      { message: '“order 5”重复出现。' },
    ])
  })
})
