import { useEffect } from 'react'
import { useTranslation } from 'react-i18next'
import { getSettings } from '#contract/accounts.ts'
import { useRecord } from '#state/use-record.ts'
import { getBusinessNow, setBusinessZone } from '#ui/page/business-clock.ts'
import { useZoneFormatter } from '#ui/page/zone-name.ts'

/** Names the time zone of all dates and times in the portal (D31). */
export function TimeZoneNote() {
  const { t } = useTranslation('shell')
  const formatZone = useZoneFormatter()
  const zone = useRecord(getSettings, {}).record?.time_zone
  useEffect(() => {
    if (zone) setBusinessZone(zone)
  }, [zone])
  return zone ? <p className="footer-zone">{t('timeZone', { zone: formatZone(getBusinessNow()) })}</p> : null
}
