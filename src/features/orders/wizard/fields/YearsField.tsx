import '#features/orders/wizard-words.ts'
import type { ReactNode } from 'react'
import { yearLimits } from '#domain/orders.ts'
import { Button } from '#ui/display/Button.tsx'
import { FieldFrame } from '#ui/form/Field.tsx'
import { WholeNumberInput } from '#ui/form/WholeNumberInput.tsx'
import { useTranslation } from 'react-i18next'
import { parseWholeNumber } from '#features/orders/wizard/fields/TermsFields.tsx'

interface Props {
  label: string
  value: string
  error?: string | null | undefined
  maxYears?: number
  maxReachedReason?: string
  children?: ReactNode
  onChange: (years: string) => void
}

const commonYears = ['1', '2', '3'] as const

export function YearsField({
  label,
  value,
  error,
  maxYears: requestedMax = yearLimits.max,
  maxReachedReason,
  children,
  onChange,
}: Props) {
  const { t } = useTranslation('wizard')
  const { min: minYears } = yearLimits
  const maxYears = Math.max(minYears, requestedMax)
  const years = parseWholeNumber(value) ?? 0
  const setYears = (next: number) => onChange(String(Math.min(maxYears, Math.max(minYears, next))))
  const name = 'period'
  return (
    <FieldFrame label={label} error={error}>
      {(fieldProps) => (
        <div className="years">
          <div className="years-common">
            {commonYears.map((option) => (
              <Button key={option} aria-pressed={value === option} onClick={() => onChange(option)}>
                {t('years.choice', { count: Number(option) })}
              </Button>
            ))}
          </div>
          <div className="years-any">
            <Button
              icon="minus"
              isIconOnly
              disabledReason={years <= minYears && t('years.least')}
              onClick={() => setYears(years - 1)}
            >
              {t('years.fewer')}
            </Button>
            <WholeNumberInput
              enterKeyHint="next"
              min={minYears}
              max={maxYears}
              {...{ name, value }}
              {...fieldProps}
              onType={onChange}
            />
            <Button
              icon="plus"
              isIconOnly
              disabledReason={years >= maxYears && (maxReachedReason ?? t('years.most', { maximum: maxYears }))}
              onClick={() => setYears(years + 1)}
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
