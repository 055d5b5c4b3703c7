/** Generates random price lists that the editor could have saved: ranges in order, amounts with two decimals. */
import fc from 'fast-check'
import { type PriceContent, normaliseRanges } from '#domain/checks/price-checks.ts'
import { writeAmount } from '#domain/money.ts'

const hundredths = (max: bigint) => fc.bigInt({ min: 0n, max }).map(writeAmount)
const amount = fc.oneof(hundredths(5_000_000n), fc.constantFrom('0.00', '0.01', '9999999999999.99'))
const charges = fc.record({ hkd: amount, usd: amount, rmb: amount })
const users = fc.integer({ min: 0, max: 999_999 })

const ranges = fc
  .array(fc.tuple(fc.integer({ min: 0, max: 500 }), charges), { maxLength: 12 })
  .map((rows) => normaliseRanges(rows.map(([to, prices]) => ({ from: 1, to, ...prices }))))

const wholeUnits = (max: number) => fc.integer({ min: 0, max }).map((units) => `${units}.00`)
const backup = fc.record({
  pdb2s3_fee_hkd: amount,
  pdb2s3_fee_usd: amount,
  pdb2s3_fee_rmb: amount,
  pdb2s3_traffic: wholeUnits(1_000_000),
  pdb2s3_discount: wholeUnits(100),
  pdb2s3_up_hkd: amount,
  pdb2s3_up_usd: amount,
  pdb2s3_up_rmb: amount,
  pdb2rds_fee_hkd: amount,
  pdb2rds_fee_usd: amount,
  pdb2rds_fee_rmb: amount,
  pdb2rds_discount: wholeUnits(100),
})

/**
 * Generates the content of a list with all modules of these codes, each once, in any order. A module's id is its position in `codes`,
 * starting at 1.
 */
export const randomContent = (codes: readonly string[]): fc.Arbitrary<PriceContent> =>
  fc.record({
    uat_charge: hundredths(99_999n),
    uat_cap_hkd: amount,
    uat_cap_usd: amount,
    uat_cap_rmb: amount,
    min_concurrent_user: users,
    min_named_user: users,
    min_fee_hkd: amount,
    min_fee_usd: amount,
    min_fee_rmb: amount,
    concurrentUser: ranges,
    namedUser: ranges,
    module: fc
      .tuple(fc.shuffledSubarray([...codes]), fc.array(charges, { minLength: codes.length, maxLength: codes.length }))
      .map(([selectedCodes, prices]) =>
        selectedCodes.map((code, index) => ({
          id: index + 1,
          code,
          module_id: codes.indexOf(code) + 1,
          ...(prices[index] as (typeof prices)[number]),
        })),
      ),
    pdbPrice: fc.option(backup),
  })

/** Generates the fields that identify a list, with a description of any characters that can be stored. */
export const randomHeader = fc.record({
  effective_date: fc
    .integer({ min: 0, max: 20_000 })
    .map((days) => new Date(Date.UTC(2027, 0, 1 + days)).toISOString().slice(0, 10)),
  desc: fc
    .string({ unit: 'grapheme', minLength: 1, maxLength: 80 })
    .map((text) => text.replaceAll('\0', '').trim())
    .filter((text) => text !== ''),
})
