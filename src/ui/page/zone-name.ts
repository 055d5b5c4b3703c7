/** Names the business time zone (D31), for tooltips of times and the footer: "Hong Kong time (UTC+8)". */
import { useTranslation } from 'react-i18next'
import { useBusinessZone } from '#ui/page/business-clock.ts'

const formatters = new Map<string, Intl.DateTimeFormat>()

function getFormatter(language: string, timeZone: string, timeZoneName: 'longGeneric' | 'shortOffset') {
  const key = `${language} ${timeZone} ${timeZoneName}`
  const formatter = formatters.get(key) ?? new Intl.DateTimeFormat(language, { timeZone, timeZoneName })
  formatters.set(key, formatter)
  return formatter
}

/**
 * Returns the name and the offset of a time zone at an instant (epoch ms): "Hong Kong time" and "UTC+8". The name is empty if the zone has
 * none besides its offset.
 */
export function getZoneParts(language: string, zone: string, instant: number): { name: string; offset: string } {
  const [name = '', offset = ''] = (['longGeneric', 'shortOffset'] as const).map((style) => {
    const parts = getFormatter(language, zone, style).formatToParts(instant)
    return parts.find(({ type }) => type === 'timeZoneName')?.value
  })
  return {
    name: name.startsWith('GMT') ? '' : name.replace(/( Standard)? Time$/, ' time').replace('标准时间', '时间'),
    offset: offset.replace('GMT', 'UTC').replace(/[+-]0$/, ''),
  }
}

/** Returns a function that names the business time zone at an instant (epoch ms): its offset changes with summer time. */
export function useZoneFormatter(): (instant: number) => string {
  const { t, i18n } = useTranslation('ui')
  const zone = useBusinessZone()
  return (instant) => {
    const { name, offset } = getZoneParts(i18n.language, zone, instant)
    return name === '' ? offset : t('zone', { name, offset })
  }
}
