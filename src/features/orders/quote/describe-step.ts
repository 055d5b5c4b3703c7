import { trimPercent } from '#domain/fees/percent.ts'
import { groupThousands, readAmount } from '#domain/money.ts'
import { userLimits } from '#domain/orders.ts'
import { getLastDay } from '#domain/plain-dates.ts'
import type { TFunction } from 'i18next'
import type { FeeBranch } from '#features/orders/quote/fee-tree.ts'

type DescribedStep = Pick<FeeBranch, 'code' | 'values' | 'amount'>
type Describe = (step: DescribedStep, t: TFunction<'wizard'>, namesByCode: ReadonlyMap<string, string>) => string

const formatValue = ({ values }: DescribedStep, name: string) => groupThousands(values[name] ?? '0.00')

const toParams = (step: DescribedStep) => ({
  from: step.values.from ?? '',
  last: step.values.to ? getLastDay(step.values.to) : '',
  annual: formatValue(step, 'annual'),
})

const describeTime =
  (kind: 'segment' | 'paid'): Describe =>
  (step, t) => {
    const { values } = step
    const params = toParams(step)
    if (!('years' in values)) return t(`why.${kind}Days`, { ...params, count: Number(values.days) })
    const count = Number(values.years)
    return 'days' in values
      ? t(`why.${kind}Capped`, { ...params, days: values.days, count })
      : t(`why.${kind}Years`, { ...params, count })
  }

/** Mentions only the percentage, unless the currency's limit determined the amount (D1). */
const describeUat: Describe = (step, t) => {
  const { values, amount } = step
  const params = {
    percent: trimPercent(values.percent ?? ''),
    of: formatValue(step, 'of'),
    share: formatValue(step, 'share'),
    bound: formatValue(step, 'bound'),
  }
  if (values.share === amount) return t('why.uat', params)
  return t(values.reading === 'ceiling' ? 'why.uatCeiling' : 'why.uatFloor', params)
}

/** If the amount paid is higher than the new cost, the difference is not refunded (D14), or becomes credit (decision 124). */
const describeDue: Describe = ({ values: { contract = '0.00', residual = '0.00', credited } }, t) => {
  if (readAmount(residual) <= readAmount(contract)) return t('why.due')
  return t(credited === undefined ? 'why.dueNothing' : 'why.dueCredited')
}

const describeByCode: Readonly<Record<string, Describe>> = {
  users: (step, t) =>
    t(Number(step.values.to) >= userLimits.max ? 'why.usersFrom' : 'why.users', {
      ...step.values,
      price: formatValue(step, 'price'),
    }),
  modules: ({ values }, t) => t('why.modules', { count: Number(values.count) }),
  module: ({ values: { code = '' } }, _t, namesByCode) => namesByCode.get(code) ?? code,
  sum: (_step, t) => t('why.sum'),
  uat: describeUat,
  minimum: (step, t) => t('why.minimum', { minimum: formatValue(step, 'minimum') }),
  annual: (_step, t) => t('why.annual'),
  years: (step, t) => t('why.years', { ...toParams(step), count: Number(step.values.years) }),
  segment: describeTime('segment'),
  paid: describeTime('paid'),
  contract: (_step, t) => t('why.contract'),
  residual: (_step, t) => t('why.residual'),
  months: (step, t) => t('why.months', { ...toParams(step), count: Number(step.values.months) }),
  discount: ({ values }, t) => t('why.discount', { percent: trimPercent(values.percent ?? '') }),
  traffic: (step, t) => t('why.traffic', { gb: step.values.gb, price: formatValue(step, 'price') }),
  carriedFrom: ({ values }, t) => t('why.carriedFrom', { month: values.month }),
  carriedOn: (_step, t) => t('why.carriedOn'),
}

export const describeStep: Describe = (step, t, namesByCode) =>
  (describeByCode[step.code] ?? describeDue)(step, t, namesByCode)
