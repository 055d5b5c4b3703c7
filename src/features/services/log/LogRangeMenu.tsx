import { useTranslation } from 'react-i18next'
import { RangeMenu } from '#ui/form/RangeMenu.tsx'
import { useNarrow } from '#ui/list/useNarrow.ts'
import type { ServiceLogRange } from '#features/services/log/log-range.ts'
import { QuickSpans } from '#features/services/log/QuickSpans.tsx'
import { RangeFields } from '#features/services/log/RangeFields.tsx'
import type { useBusinessNow } from '#features/services/useBusinessNow.ts'

interface LogRangeMenuProps {
  /** The range of the displayed lines. */
  range: ServiceLogRange
  /** The range as typed, which may be invalid. */
  typedRange: ServiceLogRange
  clock: NonNullable<ReturnType<typeof useBusinessNow>>
  onChange: (range: ServiceLogRange) => void
}

/** The range of a log, in one control: usual ranges, start and end. On a phone they are in the filter sheet, without the button. */
export function LogRangeMenu({ range, typedRange, clock, onChange }: LogRangeMenuProps) {
  const { t } = useTranslation('services')
  const isNarrow = useNarrow()
  const fields = <RangeFields range={typedRange} currentMinute={clock.currentMinute} onChange={onChange} />
  if (isNarrow)
    return (
      <>
        <QuickSpans clock={clock} onChoose={onChange} />
        {fields}
      </>
    )
  const text = t(range.to === '' ? 'log.since' : 'log.between', { ...range })
  return (
    <RangeMenu title={t('log.range')} text={text} icon="calendar" className="log-range-panel">
      {(close) => (
        <>
          <QuickSpans
            clock={clock}
            onChoose={(nextRange) => {
              close()
              onChange(nextRange)
            }}
          />
          {fields}
        </>
      )}
    </RangeMenu>
  )
}
