import { useEffect } from 'react'
import { useTranslation } from 'react-i18next'
import { getSettings } from '#contract/accounts.ts'
import { useRecord } from '#state/use-record.ts'
import { getBusinessNow, setBusinessZone } from '#ui/page/business-clock.ts'

/** Names the time zone of all dates and times in the portal (D31). */
export function TimeZoneNote() {
  const { t, i18n } = useTranslation('shell')
  const zone = useRecord(getSettings, {}).record?.time_zone
  useEffect(() => {
    if (zone) setBusinessZone(zone)
  }, [zone])
  if (!zone) return null
  const [name, offset] = (['long', 'shortOffset'] as const).map((style) => formatZoneName(i18n.language, zone, style))
  return <p className="footer-zone">{t('timeZone', { name, offset })}</p>
}

/** Returns the name of a time zone, for example `Hong Kong Standard Time` or `GMT+8`. */
function formatZoneName(language: string, timeZone: string, timeZoneName: 'long' | 'shortOffset'): string {
  const parts = new Intl.DateTimeFormat(language, { timeZone, timeZoneName }).formatToParts(getBusinessNow())
  return parts.find(({ type }) => type === 'timeZoneName')?.value ?? timeZone
}
