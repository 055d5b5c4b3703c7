import { type BuildInfo, buildInfoPath } from '#contract/client-build.ts'

const timeoutMs = 5_000

/** Returns the server's information about builds, or null if the server cannot be reached. */
export async function fetchBuildInfo(): Promise<BuildInfo | null> {
  try {
    const response = await fetch(buildInfoPath, { cache: 'no-store', signal: AbortSignal.timeout(timeoutMs) })
    return response.ok ? ((await response.json()) as BuildInfo) : null
  } catch {
    return null
  }
}
