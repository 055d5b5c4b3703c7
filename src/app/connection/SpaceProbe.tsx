import { useEffect } from 'react'
import { useLocation } from 'react-router-dom'
import { hasFreeSpace } from '#local/space/free-space.ts'
import { deviceFullChanged } from '#state/connection-slice.ts'
import { useConnection, useDispatch } from '#state/use-store.ts'

/** Checks the free disk space on each page while the server cannot be reached. On a full disk the database does not even open. */
export function SpaceProbe() {
  const { networkState } = useConnection()
  const { key } = useLocation()
  const dispatch = useDispatch()
  useEffect(() => {
    let isActive = true
    const hasSpace = networkState === 'online' ? Promise.resolve(true) : hasFreeSpace().catch(() => false)
    void hasSpace.then((isFree) => isActive && dispatch(deviceFullChanged(!isFree)))
    return () => void (isActive = false)
  }, [networkState, key, dispatch])
  return null
}
