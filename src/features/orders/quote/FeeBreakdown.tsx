import '#features/orders/wizard-words.ts'
import { useMemo } from 'react'
import { type Currency, grouped, readAmount } from '#domain/money.ts'
import { userLimits } from '#domain/orders.ts'
import { lastDay } from '#domain/period.ts'
import { Amount } from '#ui/display/Amount.tsx'
import type { TFunction } from 'i18next'
import { useTranslation } from 'react-i18next'
import { Folded } from '#features/orders/Disclosure.tsx'
import { signed } from '#features/orders/quote/AmountChange.tsx'
import { type AnyStep, type Branch, treeOf } from '#features/orders/quote/fee-tree.ts'

interface Props {
  currency: Currency
  /** As the engine or the server's answer tells them. */
  steps: readonly AnyStep[]
  /** Of modules, by code. */
  names: ReadonlyMap<string, string>
}

/** More of them than these are folded away. */
const maxModules = 6

/** Why an amount is what it is: from what is due down to single users and modules, each with the rule in words. */
export function WhyAmount({ currency, steps, names }: Props) {
  const { t } = useTranslation('wizard')
  const tree = useMemo(() => treeOf(steps), [steps])
  if (!tree) return null
  return (
    <section className="why" aria-label={t('why.label')}>
      <ul>
        <Part branch={tree} root {...{ t, currency, names }} />
      </ul>
    </section>
  )
}

/** What was paid is taken off, and so is each part of it. */
const takenOff = new Set(['residual', 'paid'])

interface PartProps extends Omit<Props, 'steps'> {
  branch: Branch
  root?: boolean
  t: TFunction<'wizard'>
}

function Part({ branch, root = false, t, ...about }: PartProps) {
  const { code, parts } = branch
  const line = (
    <span className="why-line">
      <span>{describeStep(branch, t, about.names)}</span>
      {/* The currency once: at the top. */}
      {root ? (
        <Amount currency={about.currency} amount={branch.amount} />
      ) : (
        <span className="figure">
          {takenOff.has(code) && branch.amount !== '0.00' ? signed(`-${branch.amount}`) : grouped(branch.amount)}
        </span>
      )}
    </span>
  )
  const inner = () => (
    <ul>
      {parts.map((part) => (
        <Part key={keyOf(part)} branch={part} t={t} {...about} />
      ))}
    </ul>
  )
  if (code === 'modules' && parts.length > maxModules)
    return (
      <li className="why-modules">
        <Folded line={line}>{inner}</Folded>
      </li>
    )
  return (
    <li className={`why-${code}`}>
      {line}
      {parts.length > 0 && inner()}
    </li>
  )
}

const keyOf = ({ code, values }: Branch) => `${code} ${values.code ?? values.from ?? ''}`

/** A step in words. `names`: of modules, by code. */
export function describeStep(
  { code, values, amount }: Pick<Branch, 'code' | 'values' | 'amount'>,
  t: TFunction<'wizard'>,
  names: ReadonlyMap<string, string>,
): string {
  const money = (name: string) => grouped(values[name] ?? '0.00')
  const days = { from: values.from ?? '', last: values.to ? lastDay(values.to) : '', annual: money('annual') }
  const time = (of: 'segment' | 'paid') =>
    'years' in values && 'days' in values
      ? t(`why.${of}Capped`, { ...days, days: values.days, count: Number(values.years) })
      : 'years' in values
        ? t(`why.${of}Years`, { ...days, count: Number(values.years) })
        : t(`why.${of}Days`, { ...days, count: Number(values.days) })
  switch (code) {
    case 'users':
      return t(Number(values.to) >= userLimits.most ? 'why.usersFrom' : 'why.users', {
        ...values,
        price: money('price'),
      })
    case 'modules':
      return t('why.modules', { count: Number(values.count) })
    case 'module':
      return names.get(values.code ?? '') ?? values.code ?? ''
    case 'sum':
      return t('why.sum')
    case 'uat': {
      const said = { percent: values.percent, of: money('of'), share: money('share'), bound: money('bound') }
      // The percentage alone, unless the bound of the currency decided (D1).
      return values.share === amount
        ? t('why.uat', said)
        : t(values.reading === 'ceiling' ? 'why.uatCeiling' : 'why.uatFloor', said)
    }
    case 'minimum':
      return t('why.minimum', { minimum: money('minimum') })
    case 'annual':
      return t('why.annual')
    case 'years':
      return t('why.years', { ...days, count: Number(values.years) })
    case 'segment':
    case 'paid':
      return time(code)
    case 'contract':
      return t('why.contract')
    case 'residual':
      return t('why.residual')
    case 'months':
      return t('why.months', { ...days, count: Number(values.months) })
    case 'discount':
      return t('why.discount', { percent: values.percent })
    case 'traffic':
      return t('why.traffic', { gb: values.gb, price: money('price') })
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
