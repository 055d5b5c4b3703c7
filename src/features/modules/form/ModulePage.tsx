import '#features/modules/words.ts'
import { useEffect, useState } from 'react'
import { useParams } from 'react-router-dom'
import type { Id } from '#contract/endpoint.ts'
import { isOffline, type Problem } from '#contract/problem.ts'
import { type ModuleRow, modulesFills } from '#contract/modules.ts'
import { readRow } from '#local/lists/read-row.ts'
import type { OverlaidRow } from '#local/lists/list-view.ts'
import { readWhole } from '#state/list-url.ts'
import { useConnection, useDispatch } from '#state/hooks.ts'
import { useLiveQuery } from '#state/live-query.ts'
import { ButtonLink } from '#ui/display/Button.tsx'
import { EmptyState } from '#ui/list/EmptyState.tsx'
import { LoadProblem } from '#ui/page/LoadProblem.tsx'
import { Page } from '#ui/page/Page.tsx'
import { Skeleton } from '#ui/page/Skeleton.tsx'
import { useTranslation } from 'react-i18next'
import { ModuleForm } from '#features/modules/form/ModuleForm.tsx'
import { type Kind, pathOf } from '#features/modules/paths.ts'
import { askModule } from '#features/modules/slice.ts'

export const Module = () => <ModulePage kind="visible" />
export const HiddenModule = () => <ModulePage kind="hidden" />

/** One module, or the form for a new one (M136 to M139). */
function ModulePage({ kind }: { kind: Kind }) {
  const { id } = useParams()
  const whole = readWhole(id ?? null, 2_147_483_647)
  const named = id !== undefined && /^~[0-9a-f-]{36}$/i.test(id) ? (id as `~${string}`) : null
  if (id === undefined) return <ModuleForm key={kind} kind={kind} opened={null} />
  const asked = whole ?? named
  return asked === null ? <Missing kind={kind} why="unknown" /> : <Existing key={id} kind={kind} id={asked} />
}

function Existing({ kind, id }: { kind: Kind; id: Id }) {
  const { t } = useTranslation('modules')
  const { opened, retry } = useOpened(id)
  if (opened === undefined)
    return (
      <Page title={t('form.loading')} width="narrow">
        <Skeleton />
      </Page>
    )
  if (typeof opened === 'string') return <Missing kind={kind} why={opened} />
  if ('code' in opened)
    return (
      <Page title={t('missing.title')} crumbs={[{ label: t(`title.${kind}`), to: pathOf(kind) }]} width="narrow">
        <LoadProblem problem={opened} title={t('missing.failed')} onRetry={retry} />
      </Page>
    )
  return <ModuleForm kind={opened.row.hidden ? 'hidden' : 'visible'} opened={opened} />
}

function Missing({ kind, why }: { kind: Kind; why: 'unknown' | 'notHere' }) {
  const { t } = useTranslation('modules')
  return (
    <Page title={t('missing.title')} crumbs={[{ label: t(`title.${kind}`), to: pathOf(kind) }]} width="narrow">
      <section className="card">
        <EmptyState
          icon={why === 'unknown' ? 'module' : 'offline'}
          title={t(`missing.${why}`)}
          action={<ButtonLink to={pathOf(kind)}>{t('missing.back')}</ButtonLink>}
        >
          {t(`missing.${why}Text`)}
        </EmptyState>
      </section>
    </Page>
  )
}

/**
 * The row as it stood when the page opened, and from then on that one: what comes in meanwhile must not change a form under
 * its user's hands. A row that this device does not have is asked for. Undefined: not known yet.
 */
function useOpened(id: Id): { opened: OverlaidRow<ModuleRow> | Missed | undefined; retry: () => void } {
  const { line } = useConnection()
  const dispatch = useDispatch()
  const [opened, setOpened] = useState<OverlaidRow<ModuleRow>>()
  const [missing, setMissing] = useState<Missed>()
  const [round, setRound] = useState(0)
  const here = useLiveQuery(async () => await readRow<ModuleRow>(modulesFills.table, id), [id])
  useEffect(() => {
    if (opened || here === undefined) return
    if (here) return setOpened(here)
    let counts = true
    void dispatch(askModule(id)).then((result) => {
      if (!counts) return
      if ('output' in result && result.output) setOpened({ row: result.output as ModuleRow, waiting: null })
      else setMissing(result.kind === 'problem' ? missedBy(result.problem) : 'notHere')
    })
    return () => void (counts = false)
    // The line is not used: its coming back is the reason.
    // oxlint-disable-next-line react/exhaustive-deps
  }, [opened, here, id, dispatch, line, round])
  return { opened: opened ?? missing, retry: () => setRound(round + 1) }
}

type Missed = 'unknown' | 'notHere' | Problem

function missedBy(problem: Problem): Missed {
  if (problem.status === 404) return 'unknown'
  return isOffline(problem) ? 'notHere' : problem
}
