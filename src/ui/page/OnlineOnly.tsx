import { type ComponentType, type ReactNode, useEffect, useState } from 'react'
import { EmptyState } from '#ui/list/EmptyState.tsx'
import { Skeleton } from '#ui/page/Skeleton.tsx'

interface Props {
  isOnline: boolean
  /** Its code, asked for again each time the line comes back. The same function at every drawing. */
  load: () => Promise<ComponentType>
  /** Said without a line. */
  title: string
  children: ReactNode
}

/** What is of no use without the server, and whose code is not kept on the device for that reason: it says so, and comes by itself. */
export function OnlineOnly({ isOnline, load, title, children }: Props) {
  const [LoadedComponent, setLoadedComponent] = useState<ComponentType | null>(null)
  const [hasLoadFailed, setHasLoadFailed] = useState(false)
  useEffect(() => {
    if (!isOnline) return
    let isActive = true
    setHasLoadFailed(false)
    load().then(
      (component) => isActive && setLoadedComponent(() => component),
      () => isActive && setHasLoadFailed(true),
    )
    return () => void (isActive = false)
  }, [isOnline, load])
  if (LoadedComponent) return <LoadedComponent />
  if (isOnline && !hasLoadFailed) return <Skeleton lines={5} />
  return (
    <section className="card">
      <EmptyState icon="offline" title={title}>
        {children}
      </EmptyState>
    </section>
  )
}
