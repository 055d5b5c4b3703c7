import '#features/orders/wizard-words.ts'
import { useMemo } from 'react'
import { type Currency, groupThousands, readAmount } from '#domain/money.ts'
import { userLimits } from '#domain/orders.ts'
import { getLastDay } from '#domain/plain-dates.ts'
import { Amount } from '#ui/display/Amount.tsx'
import type { TFunction } from 'i18next'
import { useTranslation } from 'react-i18next'
import { Disclosure } from '#features/orders/Disclosure.tsx'
import { formatSigned } from '#features/orders/quote/AmountChange.tsx'
import { type QuoteStep, type FeeBranch, buildFeeTree } from '#features/orders/quote/fee-tree.ts'

interface Props {
  currency: Currency
  /** As the engine or the server's answer tells them. */
  steps: readonly QuoteStep[]
  /** Of modules, by code. */
  namesByCode: ReadonlyMap<string, string>
}

/** More of them than these are folded away. */
const maxModules = 6

/** Why an amount is what it is: from what is due down to single users and modules, each with the rule in words. */
export function FeeBreakdown({ currency, steps, namesByCode }: Props) {
  const { t } = useTranslation('wizard')
  const tree = useMemo(() => buildFeeTree(steps), [steps])
  if (!tree) return null
  return (
    <section className="why" aria-label={t('why.label')}>
      <ul>
        <BreakdownPart branch={tree} isRoot {...{ t, currency, namesByCode }} />
      </ul>
    </section>
  )
}

/** What was paid is taken off, and so is each part of it. */
const deductionCodes = new Set(['residual', 'paid'])

interface PartProps extends Omit<Props, 'steps'> {
  branch: FeeBranch
  isRoot?: boolean
  t: TFunction<'wizard'>
}

function BreakdownPart({ branch, isRoot = false, t, ...partProps }: PartProps) {
  const { code, branches } = branch
  const summary = (
    <span className="why-line">
      <span>{describeStep(branch, t, partProps.namesByCode)}</span>
      {/* The currency once: at the top. */}
      {isRoot ? (
        <Amount currency={partProps.currency} amount={branch.amount} />
      ) : (
        <span className="figure">
          {deductionCodes.has(code) && branch.amount !== '0.00'
            ? formatSigned(`-${branch.amount}`)
            : groupThousands(branch.amount)}
        </span>
      )}
    </span>
  )
  const renderParts = () => (
    <ul>
      {branches.map((branch) => (
        <BreakdownPart key={getBranchKey(branch)} branch={branch} t={t} {...partProps} />
      ))}
    </ul>
  )
  if (code === 'modules' && branches.length > maxModules)
    return (
      <li className="why-modules">
        <Disclosure label={summary}>{renderParts}</Disclosure>
      </li>
    )
  return (
    <li className={`why-${code}`}>
      {summary}
      {branches.length > 0 && renderParts()}
    </li>
  )
}

const getBranchKey = ({ code, values }: FeeBranch) => `${code} ${values.code ?? values.from ?? ''}`

/** A step in words. `namesByCode`: of modules, by code. */
export function describeStep(
  { code, values, amount }: Pick<FeeBranch, 'code' | 'values' | 'amount'>,
  t: TFunction<'wizard'>,
  namesByCode: ReadonlyMap<string, string>,
): string {
  const formatValue = (name: string) => groupThousands(values[name] ?? '0.00')
  const params = {
    from: values.from ?? '',
    last: values.to ? getLastDay(values.to) : '',
    annual: formatValue('annual'),
  }
  const describeTime = (kind: 'segment' | 'paid') =>
    'years' in values && 'days' in values
      ? t(`why.${kind}Capped`, { ...params, days: values.days, count: Number(values.years) })
      : 'years' in values
        ? t(`why.${kind}Years`, { ...params, count: Number(values.years) })
        : t(`why.${kind}Days`, { ...params, count: Number(values.days) })
  switch (code) {
    case 'users':
      return t(Number(values.to) >= userLimits.max ? 'why.usersFrom' : 'why.users', {
        ...values,
        price: formatValue('price'),
      })
    case 'modules':
      return t('why.modules', { count: Number(values.count) })
    case 'module':
      return namesByCode.get(values.code ?? '') ?? values.code ?? ''
    case 'sum':
      return t('why.sum')
    case 'uat': {
      const uatParams = {
        percent: values.percent,
        of: formatValue('of'),
        share: formatValue('share'),
        bound: formatValue('bound'),
      }
      // The percentage alone, unless the bound of the currency decided (D1).
      return values.share === amount
        ? t('why.uat', uatParams)
        : t(values.reading === 'ceiling' ? 'why.uatCeiling' : 'why.uatFloor', uatParams)
    }
    case 'minimum':
      return t('why.minimum', { minimum: formatValue('minimum') })
    case 'annual':
      return t('why.annual')
    case 'years':
      return t('why.years', { ...params, count: Number(values.years) })
    case 'segment':
    case 'paid':
      return describeTime(code)
    case 'contract':
      return t('why.contract')
    case 'residual':
      return t('why.residual')
    case 'months':
      return t('why.months', { ...params, count: Number(values.months) })
    case 'discount':
      return t('why.discount', { percent: values.percent })
    case 'traffic':
      return t('why.traffic', { gb: values.gb, price: formatValue('price') })
    case 'carriedFrom':
      return t('why.carriedFrom', { month: values.month })
    case 'carriedOn':
      return t('why.carriedOn')
    default:
      return isMoreThanDue(values) ? t('why.dueNothing') : t('why.due')
  }
}

/** What was paid is more than this costs: the rest is not returned (D14). */
const isMoreThanDue = ({ contract = '0.00', residual = '0.00' }: Record<string, string>) =>
  readAmount(residual) > readAmount(contract)
