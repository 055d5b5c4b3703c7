import {
  type CurrencyTexts,
  fillNames,
  priceCurrencies,
  type PriceListValues,
} from '#features/prices/price-list-form.ts'

/** Collects the prices of fields such as `min_fee_hkd`. */
export const pickCurrencies = (
  values: PriceListValues['header'] | NonNullable<PriceListValues['pdbPrice']>,
  name: string,
): CurrencyTexts =>
  fillNames(priceCurrencies, (currency) => (values as Record<string, string>)[`${name}_${currency}`] ?? '')
