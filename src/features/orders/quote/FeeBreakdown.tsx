import '#features/orders/wizard-words.ts'
import { useMemo } from 'react'
import { type Currency, groupThousands } from '#domain/money.ts'
import { Amount, formatSigned } from '#ui/display/Amount.tsx'
import { TextWithDates } from '#ui/display/TextWithDates.tsx'
import type { TFunction } from 'i18next'
import { useTranslation } from 'react-i18next'
import { Disclosure } from '#features/orders/Disclosure.tsx'
import { describeStep } from '#features/orders/quote/describe-step.ts'
import { type QuoteStep, type FeeBranch, buildFeeTree } from '#features/orders/quote/fee-tree.ts'

interface Props {
  currency: Currency
  steps: readonly QuoteStep[]
  namesByCode: ReadonlyMap<string, string>
}

const maxModules = 6

/** Explains an amount in steps, from the total to single users and modules. Each step has its rule in words. */
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
      <span>
        <TextWithDates text={describeStep(branch, t, partProps.namesByCode)} />
      </span>
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
