import { Link } from 'react-router-dom'
import { useConnection, useDispatch, useSelector } from '#state/hooks.ts'
import { useLiveQuery } from '#state/live-query.ts'
import { Button } from '#ui/display/Button.tsx'
import { Icon } from '#ui/icons/Icon.tsx'
import { ProgressBar } from '#ui/page/ProgressBar.tsx'
import { useTranslation } from 'react-i18next'
import { lacking } from '#features/apps/upload/choice.ts'
import { publishWords } from '#features/apps/upload/fault-words.ts'
import { publish, readPublishing, selectUpload } from '#features/apps/upload/slice.ts'
import type { Entry, KnownApps } from '#features/apps/upload/upload-entry.ts'
import type { UploadQueue } from '#features/apps/upload/upload-queue.ts'

interface Props {
  entries: readonly Entry[]
  /** The server takes no more: what is there is published first, or the rest would wait for ever. */
  isFull: boolean
  chosen: readonly Entry[]
  apps: KnownApps
  queue: UploadQueue
  /** The catalogue has changed. */
  onPublished: () => void
}

/** What the choice would lack, the publishing of it with its progress, and what came of it (M159). */
export function PublishBar({ entries, isFull, chosen: all, apps, queue, onPublished }: Props) {
  const chosen = isFull ? all.filter(({ isServers }) => isServers) : all
  const { t } = useTranslation('apps')
  const dispatch = useDispatch()
  const { isPublishing, problem } = useSelector(selectUpload)
  const running = useLiveQuery(readPublishing, [])
  const isBusy = isPublishing || Boolean(running)
  const percent = running?.percent ?? 0
  async function act() {
    const action = await dispatch(publish(chosen.flatMap(({ row }) => (row ? [row.md5] : []))))
    if (publish.fulfilled.match(action)) {
      queue.published(action.payload)
      onPublished()
    }
    // What else is there may be an upgrade no more.
    await queue.refresh()
  }
  const whyNot = useWhyNot(chosen)
  return (
    <div className="publish">
      <Lacking chosen={chosen} apps={apps} />
      {problem && (
        <p role="alert" className="upload-why">
          {publishWords(problem)}
        </p>
      )}
      {isBusy && (
        <div className="publish-progress">
          <ProgressBar label={t('publish.progress')} percent={percent} text={t('transfer.percent', { percent })} />
          <span>{t('publish.goesOn', { percent })}</span>
        </div>
      )}
      <Done entries={entries} />
      <div>
        <Button kind="primary" icon="check" busy={isBusy} whyNot={isBusy ? null : whyNot} onClick={() => void act()}>
          {chosen.length === 0 ? t('publish.actNone') : t('publish.act', { count: chosen.length })}
        </Button>
      </div>
    </div>
  )
}

function useWhyNot(chosen: readonly Entry[]): string | null {
  const { t } = useTranslation('apps')
  const isOnline = useConnection().line === 'online'
  if (chosen.length === 0) return t('publish.none')
  if (!isOnline) return t('publish.offline')
  return chosen.every(({ isServers }) => isServers) ? null : t('publish.unsent')
}

/** What the catalogue would lack is told and not forbidden: the rest may come with the next files. */
function Lacking({ chosen, apps }: Pick<Props, 'chosen' | 'apps'>) {
  const { t } = useTranslation('apps')
  const { missing, incompatible, loops } = lacking(chosen, apps)
  // Those that are brought are no news, and what is published already is not missing.
  const absent = missing.filter((code) => !apps.has(code) && !chosen.some(({ row }) => row?.code === code))
  if (absent.length + incompatible.length + loops.length === 0) return null
  return (
    <div className="problem note publish-lacking" role="status">
      <Icon name="alert" />
      <div>
        <p>
          <strong>{t('lacking.title')}</strong>
        </p>
        <ul>
          {absent.length > 0 && <li>{t('lacking.missing', { codes: absent.join(', ') })}</li>}
          {incompatible.map(({ code, requires }) => (
            <li key={code}>
              {t('lacking.old', { code, needs: requires.map((one) => `${one.code} ${one.version}`).join(', ') })}
            </li>
          ))}
          {loops.map((loop) => (
            <li key={loop.join()}>{t('lacking.loop', { codes: loop.join(' → ') })}</li>
          ))}
        </ul>
      </div>
    </div>
  )
}

function Done({ entries }: { entries: readonly Entry[] }) {
  const { t } = useTranslation('apps')
  const done = entries.filter(({ isPublished }) => isPublished)
  return (
    <p role="status" className="publish-done">
      {done.length > 0 && (
        <>
          <Icon name="check" />
          <span>
            {t('publish.done', { count: done.length })} <Link to="/app/apphistory">{t('publish.history')}</Link>
          </span>
        </>
      )}
    </p>
  )
}
