import '#ui/icons/app-icons.ts'
import '#features/home/style.css'
import { type ComponentType, type ReactNode, Suspense, useCallback, useState } from 'react'
import { useIsActing, useSignedInSession } from '#state/use-store.ts'
import { Button, ButtonLink } from '#ui/display/Button.tsx'
import { type HomeReport, combineStates, type OnReport } from '#ui/page/home-report.ts'
import { Page } from '#ui/page/Page.tsx'
import { useTranslation } from 'react-i18next'
import { listStartActions, type StartActionName } from '#features/home/start-actions.ts'
import { HomeFigures } from '#features/home/HomeFigures.tsx'
import { listFigures } from '#features/home/figures.ts'
import { NeedsAttention } from '#features/home/NeedsAttention.tsx'
import type { SetupCardProps } from '#features/home/setup/SetupCard.tsx'
import { useOutboxReport } from '#features/home/useOutboxReport.ts'

type ReportSource = HomeReport['source']

/** A component that reports to the home page. It renders nothing, except a message if its data could not be loaded. */
export interface HomeSource {
  source: ReportSource
  Report: ComponentType<{ onReport: OnReport }>
}

interface HomeOverviewProps {
  sources: readonly HomeSource[]
  /** The first steps of a new company. */
  Setup: ComponentType<SetupCardProps>
  /**
   * Cards below and next to the "Needs attention" list. They are rendered after that list has loaded, so that the layout does not shift.
   */
  belowContent?: ReactNode
  sideContent?: ReactNode
}

/** Shows figures, duties and latest events of this user (C-32). They are read from the device, so the page works offline. */
export function HomeOverview({ sources, Setup, belowContent, sideContent }: HomeOverviewProps) {
  const { t } = useTranslation('home')
  const { caller } = useSignedInSession()
  const startActions = useIsActing() ? [] : listStartActions(caller)
  const [reportsBySource, setReportsBySource] = useState<Partial<Record<ReportSource, HomeReport>>>({})
  const onReport = useCallback(
    (report: HomeReport) => setReportsBySource((previous) => ({ ...previous, [report.source]: report })),
    [],
  )
  const outbox = useOutboxReport()
  const sourceNames = ['setup' as const, ...sources.map(({ source }) => source)]
  const reports = [outbox, ...sourceNames.map((source) => reportsBySource[source] ?? createPendingReport(source))]
  const isSettled = combineStates(reports.map(({ state }) => state)) !== 'loading'
  return (
    <Page
      title={t('title')}
      action={startActions.map((action) => (
        <StartButton key={action.name} {...action} blockedReason={findBlockedReason(reports, action.name)} />
      ))}
    >
      <HomeFigures slots={listFigures(caller)} reports={reports} />
      <div className="home-columns">
        <div className="home-column">
          <Suspense fallback={null}>
            <Setup isSettled={isSettled} onReport={onReport} />
          </Suspense>
          {/* A problem is displayed above the list that is incomplete because of it. */}
          {sources.map(({ source, Report }) => (
            <Suspense key={source} fallback={null}>
              <Report onReport={onReport} />
            </Suspense>
          ))}
          <NeedsAttention reports={reports} />
          {isSettled && belowContent}
        </div>
        <div className="home-column">{isSettled && sideContent}</div>
      </div>
    </Page>
  )
}

interface StartButtonProps {
  name: StartActionName
  path: string
  blockedReason: string | null
}

function StartButton({ name, path, blockedReason }: StartButtonProps) {
  const { t } = useTranslation('home')
  if (blockedReason !== null)
    return (
      <Button icon="plus" disabledReason={blockedReason}>
        {t(name)}
      </Button>
    )
  return (
    <ButtonLink to={path} icon="plus">
      {t(name)}
    </ButtonLink>
  )
}

const findBlockedReason = (reports: readonly HomeReport[], name: StartActionName): string | null =>
  reports.find(({ blockedReasons }) => blockedReasons?.[name])?.blockedReasons?.[name] ?? null

const createPendingReport = (source: ReportSource): HomeReport => ({
  source,
  state: 'loading',
  duties: [],
  figures: {},
})
