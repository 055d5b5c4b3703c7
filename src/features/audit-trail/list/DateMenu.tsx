import { DateRange } from '#ui/form/DateRange.tsx'
import { RangeMenu } from '#ui/form/RangeMenu.tsx'
import { Icon } from '#ui/icons/Icon.tsx'
import { useNarrow } from '#ui/list/useNarrow.ts'
import { useToday } from '#ui/page/use-today.ts'
import { useTranslation } from 'react-i18next'
import { datePresets, findPreset, toPresetRange } from '#features/audit-trail/list/date-presets.ts'
import type { TrailRange } from '#features/audit-trail/list/trail-view.ts'

interface DateMenuProps {
  range: TrailRange
  onChange: (range: TrailRange) => void
}

/** The days of the list, in one control: usual ranges and two dates. On a phone, only the dates, in the filter sheet. */
export function DateMenu({ range, onChange }: DateMenuProps) {
  const { t } = useTranslation('audit')
  const isNarrow = useNarrow()
  const text = useRangeLabel(range)
  const fields = <DateFields {...{ range, onChange }} />
  if (isNarrow) return fields
  return (
    <RangeMenu title={t('dates.title')} text={text} className="trail-dates-panel">
      {(close) => (
        <>
          <PresetButtons
            range={range}
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

function PresetButtons({ range, onChoose }: { range: TrailRange; onChoose: (range: TrailRange) => void }) {
  const { t } = useTranslation('audit')
  const today = useToday(null)
  const selectedPreset = findPreset(range, today)
  return (
    <div className="trail-presets">
      {datePresets.map((preset) => (
        <button
          key={preset}
          type="button"
          className="menu-item"
          aria-pressed={preset === selectedPreset}
          onClick={() => onChoose(toPresetRange(preset, today))}
        >
          <span className="menu-words">{t(`dates.${preset}`)}</span>
          {preset === selectedPreset && <Icon name="check" size={16} />}
        </button>
      ))}
    </div>
  )
}

function DateFields({ range: { dateFrom, dateTo }, onChange }: DateMenuProps) {
  const { t } = useTranslation('audit')
  return (
    <div className="trail-range">
      <DateRange
        range={{ from: dateFrom ?? '', to: dateTo ?? '' }}
        names={{ from: 'dateFrom', to: 'dateTo' }}
        labels={{ from: t('filter.from'), to: t('filter.to') }}
        onChange={(range) => range && onChange({ dateFrom: range.from || null, dateTo: range.to || null })}
      />
    </div>
  )
}

/** "2026-11-01 – 11-30" is short enough for the row of filters. */
const removeSameYear = (from: string, to: string) => (to.startsWith(from.slice(0, 5)) ? to.slice(5) : to)

function useRangeLabel({ dateFrom, dateTo }: TrailRange): string {
  const { t } = useTranslation('audit')
  const preset = findPreset({ dateFrom, dateTo }, useToday(null))
  if (preset) return t(`dates.${preset}`)
  if (dateTo === null) return t('dates.since', { from: dateFrom })
  if (dateFrom === null) return t('dates.until', { to: dateTo })
  return dateFrom === dateTo ? dateFrom : t('dates.range', { from: dateFrom, to: removeSameYear(dateFrom, dateTo) })
}
