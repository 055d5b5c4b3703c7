import { useState } from 'react'
import { Link } from 'react-router-dom'
import { ButtonLink } from '#ui/display/Button.tsx'
import { Icon } from '#ui/icons/Icon.tsx'
import { useTranslation } from 'react-i18next'
import { readFoundServices } from '#features/entrance/found-services.ts'

/** Shows the services that were found on this device to users who may not list services: they neither order nor administrate. */
export function OwnServices() {
  const { t } = useTranslation('entrance')
  const [services] = useState(readFoundServices)
  return (
    <section className="card home-card" aria-labelledby="home-services">
      <h2 id="home-services">{t('own.title')}</h2>
      {services.length === 0 ? (
        <>
          <p className="home-note">{t('own.none')}</p>
          <ButtonLink to="/entrance">{t('own.find')}</ButtonLink>
        </>
      ) : (
        <>
          <ul className="home-list">
            {services.map(({ code, url }) => (
              <li className="home-item" key={code}>
                <Icon name="service" />
                <code className="home-words">{code}</code>
                <a className="button quiet" href={url} rel="noreferrer">
                  <span className="button-words">
                    {t('own.open')} <span className="sr-only">{code}</span>
                  </span>
                </a>
              </li>
            ))}
          </ul>
          <Link className="home-all" to="/entrance">
            {t('own.other')}
          </Link>
        </>
      )}
    </section>
  )
}
