import { CopyText } from '#ui/display/CopyText.tsx'
import { Icon } from '#ui/icons/Icon.tsx'
import { formatReadingTime } from '#ui/page/business-clock.ts'
import { useTranslation } from 'react-i18next'
import type { EntranceService } from '#features/entrance/found-services.ts'

/** Shows the addresses of the service and its admin site. `isCached`: the server could not be reached. */
export function FoundService({ service, isCached }: { service: EntranceService; isCached: boolean }) {
  const { t } = useTranslation('entrance')
  const { code, url, adminUrl, at: foundAt } = service
  return (
    <section className="card entrance-found" aria-labelledby="entrance-found" role="status">
      <h2 id="entrance-found">{t('found.title', { code })}</h2>
      <p className="entrance-address">
        <CopyText text={url}>{url}</CopyText>
      </p>
      <div className="entrance-ways">
        <a className="button primary" href={url} rel="noreferrer">
          <Icon name="service" />
          <span className="button-words">{t('found.service')}</span>
        </a>
        {adminUrl !== null && (
          <a className="button quiet" href={adminUrl} rel="noreferrer">
            <Icon name="external" />
            <span className="button-words">{t('found.admin')}</span>
          </a>
        )}
      </div>
      {isCached && <p className="field-help">{t('found.kept', { at: formatReadingTime(foundAt) })}</p>}
    </section>
  )
}
