import { act, renderHook } from '@testing-library/react'
import type { ReactNode } from 'react'
import { expect, it } from 'vitest'
import { networkStateChanged } from '#state/connection-slice.ts'
import { StoreProvider } from '#state/use-store.ts'
import { type ThunkExtra, createStore } from '#state/store.ts'
import { useFetch } from '#state/use-fetch.ts'

function renderFetch(shouldSkip: boolean) {
  const fetchedNames: string[] = []
  const store = createStore({} as ThunkExtra)
  const wrapper = ({ children }: { children: ReactNode }) => <StoreProvider store={store}>{children}</StoreProvider>
  const fetchFirst = () => {
    fetchedNames.push('first')
  }
  const fetchSecond = () => {
    fetchedNames.push('second')
  }
  const { rerender } = renderHook(({ fetch, skip: shouldSkip }) => useFetch(fetch, shouldSkip), {
    wrapper,
    initialProps: { fetch: fetchFirst, skip: shouldSkip },
  })
  const rerenderWith = (fetch: () => void, shouldSkip: boolean) => rerender({ fetch, skip: shouldSkip })
  const setNetworkState = (networkState: 'online' | 'unreachable' | 'offline') =>
    act(() => void store.dispatch(networkStateChanged(networkState)))
  return { fetchedNames, fetchFirst, fetchSecond, rerenderWith, setNetworkState }
}

it('useFetch fetches on mount, when the connection changes and when the request changes', () => {
  const { fetchedNames, fetchFirst, fetchSecond, rerenderWith, setNetworkState } = renderFetch(false)
  expect(fetchedNames).toEqual(['first'])
  rerenderWith(fetchFirst, false)
  expect(fetchedNames).toHaveLength(1)
  setNetworkState('offline')
  setNetworkState('unreachable')
  expect(fetchedNames).toHaveLength(2)
  setNetworkState('online')
  expect(fetchedNames).toHaveLength(3)
  rerenderWith(fetchSecond, false)
  expect(fetchedNames.slice(3)).toEqual(['second'])
})

it('useFetch fetches nothing while it is skipped, and at once when it no longer is', () => {
  const { fetchedNames, fetchFirst, rerenderWith, setNetworkState } = renderFetch(true)
  setNetworkState('offline')
  setNetworkState('online')
  expect(fetchedNames).toEqual([])
  rerenderWith(fetchFirst, false)
  expect(fetchedNames).toEqual(['first'])
})
