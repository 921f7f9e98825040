import type { Scenario } from '../entries.js'
import { type FileFault, fault, type LocatedLine } from './line-faults.js'

/** Finds lines that show an unknown artefact, and artefacts that no line shows. */
export function artefactFaults({ artefacts = [] }: Scenario, lines: LocatedLine[]): FileFault[] {
  const keys = artefacts.map(({ key }) => key)
  const shown = lines.map(({ line }) => line.artefact)
  return [
    ...lines.flatMap(({ line: { artefact }, path }) =>
      artefact === undefined || keys.includes(artefact)
        ? []
        : fault([...path, 'artefact'], `there is no artefact ${artefact}`),
    ),
    ...keys.flatMap((key, i) =>
      shown.includes(key) ? [] : fault(['artefacts', i], `no line shows the artefact ${key}`),
    ),
  ]
}
