import { Component, type ReactNode, useEffect, useState } from 'react'
import { Button } from '#ui/display/Button.tsx'
import { EmptyState } from '#ui/list/EmptyState.tsx'
import { Page } from '#ui/page/Page.tsx'
import { useConnection } from '#state/hooks.ts'
import { useTranslation } from 'react-i18next'

interface Props {
  children: ReactNode
  /** When it changes, what follows is tried again: another page is not broken because this one was. */
  at: string
}

/** Catches what was thrown while drawing: the unexpected, once, at the roof. */
export class Broken extends Component<Props, { error: Error | null; at: string }> {
  override state = { error: null as Error | null, at: this.props.at }

  static getDerivedStateFromError(error: unknown) {
    return { error: error instanceof Error ? error : new Error(String(error)) }
  }

  static getDerivedStateFromProps({ at }: Props, state: { at: string }) {
    return at === state.at ? null : { error: null, at }
  }

  override render() {
    const { error } = this.state
    if (!error) return this.props.children
    return <Said error={error} retry={() => this.setState({ error: null })} />
  }
}

function Said({ error, retry }: { error: Error; retry: () => void }) {
  const { t } = useTranslation('ui')
  // What a report should name (P-16); where its code cannot be fetched, the page's own build.
  const [versions, setVersions] = useState(__BUILD__)
  useEffect(() => {
    const read = async () => {
      const { readVersions, versionLine: reportLine } = await import('#app/pwa/versions.ts')
      setVersions(reportLine(await readVersions()))
    }
    void read().catch(() => undefined)
  }, [])
  // A page whose code could not be fetched: React keeps the failed import, only a new start asks again.
  const unfetched = /import|fetch|load/i.test(error.message)
  // What nobody can use without a line is not kept here (the part `online`): that is no fault, and is not told as one.
  const { line } = useConnection()
  const isOut = unfetched && (line !== 'online' || !navigator.onLine)
  // Without a worker nothing is kept, whatever the page could do with it.
  const outText = navigator.serviceWorker?.controller ? 'broken.outText' : 'broken.notHere'
  return (
    <Page title={t(isOut ? 'broken.out' : 'broken.title')} width="narrow">
      <section className="card">
        <EmptyState
          icon={isOut ? 'offline' : 'alert'}
          action={
            <>
              <Button kind="primary" icon="refresh" onClick={() => (unfetched ? location.reload() : retry())}>
                {t('broken.retry')}
              </Button>
              <Button onClick={() => location.assign(import.meta.env.BASE_URL)}>{t('broken.home')}</Button>
            </>
          }
        >
          <p>{t(isOut ? outText : 'broken.text')}</p>
          <details className="broken-detail">
            <summary>{t('broken.detail')}</summary>
            <code>
              {error.message} · {versions}
            </code>
          </details>
        </EmptyState>
      </section>
    </Page>
  )
}
