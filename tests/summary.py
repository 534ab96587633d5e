"""Adds up what CTest recorded (JUnit XML, one file a run): names the tests that did not pass, prints one closing line
`N passed, N failed, N skipped`, and exits 1 if any failed, if a record is missing, or if nothing ran.

    summary.py [--quick] RECORD...      --quick: also names tests that are too slow for the quick run
"""

import sys
import xml.etree.ElementTree as ElementTree


QUICK_SECONDS = 5  # on a busy machine; alone, a test of the quick run takes at most one


def count(paths):
    """The number that passed; names of those that failed, that were skipped, and that took over QUICK_SECONDS."""
    passed, failed, skipped, slow = 0, [], [], []
    for path in paths:
        try:
            cases = ElementTree.parse(path).getroot().iter("testcase")
        except (OSError, ElementTree.ParseError) as error:
            failed.append("%s: %s" % (path, error))
            continue
        for case in cases:
            name = "%s: %s" % (path, case.get("name"))
            if float(case.get("time", 0)) > QUICK_SECONDS:
                slow.append(name)
            if case.find("skipped") is not None or case.get("status") == "disabled":
                skipped.append(name)
            elif case.get("status") == "run" and case.find("failure") is None:
                passed += 1
            else:
                failed.append(name)
    return passed, failed, skipped, slow


def main(arguments):
    quick = "--quick" in arguments
    passed, failed, skipped, slow = count([argument for argument in arguments if argument != "--quick"])
    for name in slow if quick else []:
        print("slow, to be marked so", name)
    for name in skipped:
        print("skipped", name)
    for name in failed:
        print("FAILED", name)
    print("%d passed, %d failed, %d skipped" % (passed, len(failed), len(skipped)))
    return 1 if failed or passed == 0 else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
