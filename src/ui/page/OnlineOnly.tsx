import { type ComponentType, type ReactNode, useEffect, useState } from 'react'
import { EmptyState } from '#ui/list/EmptyState.tsx'
import { Skeleton } from '#ui/page/Skeleton.tsx'

interface Props {
  isOnline: boolean
  /** Loads the component. Called again each time the connection is back. Must be a stable function. */
  load: () => Promise<ComponentType>
  title: string
  children: ReactNode
}

/** Displays content that needs the server, and whose code is not stored on the device. Loads the code again on reconnect. */
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
