import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { toCapitalNumerals } from '#domain/capital-numerals.ts'
import { readAmount } from '#domain/money.ts'

const digits = '零壹贰叁肆伍陆柒捌玖'
const units: Record<string, bigint> = { 拾: 10n, 佰: 100n, 仟: 1000n }

/** Parses a whole number in capital numerals, without using the code that writes them. */
function readWholeNumber(text: string): bigint {
  let total = 0n
  let section = 0n
  let digit = 0n
  for (const numeral of text) {
    if (numeral === '亿') {
      total = (total + section + digit) * 100_000_000n
      section = 0n
      digit = 0n
    } else if (numeral === '万') {
      total += (section + digit) * 10_000n
      section = 0n
      digit = 0n
    } else if (units[numeral]) {
      section += digit * units[numeral]
      digit = 0n
    } else digit = BigInt(digits.indexOf(numeral))
  }
  return total + section + digit
}

function readBack(text: string): bigint {
  const [, minus, yuan = '零', jiao = '零', fen = '零'] =
    /^(负?)(?:(.+)元)?零?(?:(.)角)?(?:(.)分)?整?$/.exec(text) ?? []
  const absoluteCents = readWholeNumber(yuan) * 100n + readWholeNumber(jiao) * 10n + readWholeNumber(fen)
  return minus ? -absoluteCents : absoluteCents
}

describe('toCapitalNumerals', () => {
  it.each([
    ['0.00', '零元整'],
    ['0.01', '壹分'],
    ['0.10', '壹角整'],
    ['0.55', '伍角伍分'],
    ['1.00', '壹元整'],
    ['10.00', '壹拾元整'],
    ['11.00', '壹拾壹元整'],
    ['20.05', '贰拾元零伍分'],
    ['100.50', '壹佰元伍角整'],
    ['110.00', '壹佰壹拾元整'],
    ['325.04', '叁佰贰拾伍元零肆分'],
    ['1001.00', '壹仟零壹元整'],
    ['1010.10', '壹仟零壹拾元壹角整'],
    ['1409.50', '壹仟肆佰零玖元伍角整'],
    ['1680.32', '壹仟陆佰捌拾元叁角贰分'],
    ['6007.14', '陆仟零柒元壹角肆分'],
    ['10000.00', '壹万元整'],
    ['10001.00', '壹万零壹元整'],
    ['10010.00', '壹万零壹拾元整'],
    ['16409.02', '壹万陆仟肆佰零玖元零贰分'],
    ['100007.00', '壹拾万零柒元整'],
    ['107000.53', '壹拾万柒仟元伍角叁分'],
    ['1000000.00', '壹佰万元整'],
    ['10000000.00', '壹仟万元整'],
    ['10200304.00', '壹仟零贰拾万零叁佰零肆元整'],
    ['100000000.00', '壹亿元整'],
    ['100000001.00', '壹亿零壹元整'],
    ['100010000.00', '壹亿零壹万元整'],
    ['110000000.00', '壹亿壹仟万元整'],
    ['1000000000000.00', '壹万亿元整'],
    ['1000100000000.09', '壹万零壹亿元零玖分'],
    ['9999999999999.99', '玖万玖仟玖佰玖拾玖亿玖仟玖佰玖拾玖万玖仟玖佰玖拾玖元玖角玖分'],
    ['-263.02', '负贰佰陆拾叁元零贰分'],
  ])('writes %s as %s', (amount, written) => {
    expect(toCapitalNumerals(readAmount(amount))).toBe(written)
  })

  const checkNumerals = (amount: bigint) => {
    const written = toCapitalNumerals(amount)
    expect([written, readBack(written)]).toEqual([written, amount])
    // There are no two zeros in a row, none before a unit, and none at the end of the yuan.
    if (amount >= 100n) expect(written).not.toMatch(/零零|零[拾佰仟万亿元角]/)
    expect(written.endsWith('整')).toBe(amount % 10n === 0n)
  }

  it('can be reversed for each whole amount up to 100,000 and each amount with cents up to 100', () => {
    for (let yuan = 0n; yuan <= 100_000n; yuan++) {
      const written = toCapitalNumerals(yuan * 100n)
      if (readBack(written) !== yuan * 100n || (yuan > 0n && /零零|零[拾佰仟万亿元]/.test(written)))
        throw new Error(`${yuan}: ${written}`)
    }
    for (let cents = 0n; cents <= 10_000n; cents++) checkNumerals(cents)
  })

  it('can be reversed for amounts with zeros at any position', () => {
    // Most digits are zeros, because mistakes happen there.
    const sparse = fc
      .array(fc.constantFrom(0, 0, 0, 0, 1, 9), { minLength: 1, maxLength: 15 })
      .map((all) => BigInt(all.join('')))
    fc.assert(fc.property(sparse, checkNumerals), { numRuns: 5000 })
  })
})
