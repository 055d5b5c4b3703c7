import '#features/orders/wizard-words.ts'
import type { ReactNode } from 'react'
import { yearLimits } from '#domain/orders.ts'
import { Button } from '#ui/display/Button.tsx'
import { FieldFrame } from '#ui/form/Field.tsx'
import { WholeNumberInput } from '#ui/form/WholeNumberInput.tsx'
import { useTranslation } from 'react-i18next'
import { wholeOf } from '#features/orders/wizard/fields/TermsFields.tsx'

interface Props {
  label: string
  /** As it is typed. */
  value: string
  error?: string | null | undefined
  /** The most that can be chosen, and why no more. */
  most?: number
  whyNoMore?: string
  /** What follows of it, beside the number. */
  children?: ReactNode
  onChange: (years: string) => void
}

/** What most people order: one press each. */
const common = ['1', '2', '3'] as const

/** For how many years: the usual ones first, and any other number beside them. */
export function YearsField({
  label,
  value,
  error,
  most: given = yearLimits.most,
  whyNoMore,
  children,
  onChange,
}: Props) {
  const { t } = useTranslation('wizard')
  const { least } = yearLimits
  const most = Math.max(least, given)
  const years = wholeOf(value) ?? 0
  const to = (next: number) => onChange(String(Math.min(most, Math.max(least, next))))
  const name = 'period'
  return (
    <FieldFrame label={label} error={error}>
      {(described) => (
        <div className="years">
          <div className="years-common">
            {common.map((one) => (
              <Button key={one} aria-pressed={value === one} onClick={() => onChange(one)}>
                {t('years.choice', { count: Number(one) })}
              </Button>
            ))}
          </div>
          <div className="years-any">
            <Button icon="minus" bare whyNot={years <= least && t('years.least')} onClick={() => to(years - 1)}>
              {t('years.fewer')}
            </Button>
            <WholeNumberInput
              enterKeyHint="next"
              min={least}
              max={most}
              {...{ name, value }}
              {...described}
              onType={onChange}
            />
            <Button
              icon="plus"
              bare
              whyNot={years >= most && (whyNoMore ?? t('years.most', { most }))}
              onClick={() => to(years + 1)}
            >
              {t('years.more')}
            </Button>
          </div>
          {children && <p className="years-until">{children}</p>}
        </div>
      )}
    </FieldFrame>
  )
}
