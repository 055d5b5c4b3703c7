import { type ComponentType, Suspense, useState } from 'react'
import { Link } from 'react-router-dom'
import '#features/home/style.css'
import { isCompanyAdmin, isProvider, may } from '#domain/access.ts'
import { useSignedIn } from '#state/hooks.ts'
import { ButtonLink } from '#ui/display/Button.tsx'
import { Icon } from '#ui/icons/Icon.tsx'
import { Page } from '#ui/page/Page.tsx'
import { Tag } from '#ui/display/Tag.tsx'
import { useTranslation } from 'react-i18next'
import { cards, greetingAt, offered, quick } from '#features/home/cards.ts'
import { Awaiting, type Due } from '#features/home/NeedsAttention.tsx'

interface Props {
  Duties: ComponentType<{ onDue: (due: Due) => void }>
  /** Whether there is a page at a path yet. */
  stands: (path: string) => boolean
}

/**
 * What this user can do, and what awaits them (C-32): from what the device holds, so that it stands without a network.
 * `Duties`: of whoever orders; says whether there are any, as far as it is known.
 */
export function Home({ Duties, stands }: Props) {
  const { t } = useTranslation('home')
  const { user, caller } = useSignedIn()
  const acts = offered(quick, caller, stands)
  const [arrived] = useState(() => new Date())
  const orders = may('order', caller)
  const [due, setDue] = useState<Due>(orders ? 'asking' : 'none')
  return (
    <Page
      title={t(greetingAt(arrived.getHours()), { name: user.name })}
      name={t('title')}
      intro={<Roles />}
      action={acts.map(({ name, path, icon }) => (
        <ButtonLink key={name} to={path} icon={icon}>
          {t(name)}
        </ButtonLink>
      ))}
    >
      <Awaiting companyId={caller.companyId} admin={isCompanyAdmin(caller)} due={due} />
      {orders && (
        <Suspense fallback={null}>
          <Duties onDue={setDue} />
        </Suspense>
      )}
      <section className="home-part" aria-labelledby="home-can">
        <h2 id="home-can">{t('can')}</h2>
        <ul className="home-cards">
          {offered(cards, caller, stands).map(({ name, path, icon }) => (
            <li key={name}>
              <Link className="home-card" to={path}>
                <span className="home-icon">
                  <Icon name={icon} />
                </span>
                <span className="home-words">
                  <strong>{t(`card.${name}.title`)}</strong>
                  <span>{t(`card.${name}.text`)}</span>
                </span>
              </Link>
            </li>
          ))}
        </ul>
        {!isCompanyAdmin(caller) && <p className="home-limited">{t('limited')}</p>}
      </section>
    </Page>
  )
}

const flags = ['admin', 'order', 'alert'] as const

function Roles() {
  const { t } = useTranslation('home')
  const { user, caller } = useSignedIn()
  const held = flags.filter((flag) => user[flag])
  return (
    <span className="home-roles">
      <span>{user.company_name}</span>
      {isProvider(caller) && <Tag tone="accent">{t('roles.staff')}</Tag>}
      {held.map((flag) => (
        <Tag key={flag} tone="role">
          {t(`roles.${flag}`)}
        </Tag>
      ))}
    </span>
  )
}
