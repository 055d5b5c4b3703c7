import '#ui/icons/app-icons.ts'
import '#features/home/style.css'
import { type ComponentType, type ReactNode, Suspense, useCallback, useState } from 'react'
import { timestampIn } from '#domain/time.ts'
import { useSignedIn } from '#state/hooks.ts'
import { ButtonLink } from '#ui/display/Button.tsx'
import { type HomeReport, knownTogether, type OnReport } from '#ui/page/home-report.ts'
import { Page } from '#ui/page/Page.tsx'
import { useTranslation } from 'react-i18next'
import { begunBy, greetingAt } from '#features/home/begin.ts'
import { Figures } from '#features/home/Figures.tsx'
import { figuresFor } from '#features/home/figures.ts'
import { NeedsAttention } from '#features/home/NeedsAttention.tsx'
import { businessNow, useBusinessZone } from '#ui/page/business-clock.ts'
import { useOutboxReport } from '#features/home/useOutboxReport.ts'

type From = HomeReport['from']

/** What reports to home, by whose it is. It draws nothing but that it could not be loaded. */
export interface HomeSource {
  from: From
  Report: ComponentType<{ onReport: OnReport }>
}

interface Props {
  sources: readonly HomeSource[]
  /** Whether there is a page at a path yet. */
  stands: (path: string) => boolean
  /** Cards under and beside what needs attention: they come when that is known, so that nothing moves. */
  below?: ReactNode
  beside?: ReactNode
}

/**
 * Figures, what needs this user, what was done lately (C-32): from what the device holds, so that it stands without a
 * network.
 */
export function Home({ sources, stands, below, beside }: Props) {
  const { t } = useTranslation('home')
  const { user, caller } = useSignedIn()
  // The greeting stays while the page is read, but for the zone, which a new device does not know yet.
  const [now] = useState(businessNow)
  const hour = Number(timestampIn(useBusinessZone(), now).slice(11, 13))
  const [given, setGiven] = useState<Partial<Record<From, HomeReport>>>({})
  const onReport = useCallback((report: HomeReport) => setGiven((before) => ({ ...before, [report.from]: report })), [])
  const outbox = useOutboxReport()
  const reports = [outbox, ...sources.map(({ from }) => given[from] ?? asking(from))]
  const isSettled = knownTogether(reports.map(({ state }) => state)) !== 'asking'
  return (
    <Page
      title={t(greetingAt(hour), { name: user.name })}
      name={t('title')}
      action={begunBy(caller, stands).map(({ name, path }) => (
        <ButtonLink key={name} to={path} icon="plus">
          {t(name)}
        </ButtonLink>
      ))}
    >
      {sources.map(({ from, Report }) => (
        <Suspense key={from} fallback={null}>
          <Report onReport={onReport} />
        </Suspense>
      ))}
      <Figures slots={figuresFor(caller)} reports={reports} />
      <div className="home-columns">
        <div className="home-column">
          <NeedsAttention reports={reports} />
          {isSettled && below}
        </div>
        <div className="home-column">{isSettled && beside}</div>
      </div>
    </Page>
  )
}

const asking = (from: From): HomeReport => ({ from, state: 'asking', duties: [], figures: {} })
